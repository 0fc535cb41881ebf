// The list of sentences, and the table of the words of one.
import { $, element, visible } from "./elements.js";
import { current, differing, doubt, fix, label, release, setHead, state, tag, text } from "./sentences.js";

const UNSURE = 0.7;

export function ordered() {
  const numbers = state.sentences.map((_, i) => i);
  if ($("order").value === "text") return numbers;
  const doubts = state.sentences.map(doubt);
  return numbers.sort((one, other) => doubts[other] - doubts[one] || one - other);
}

export function showList(go) {
  const sure = !state.sentences[0].words.confidence.includes(null);
  $("n-list").textContent = sure
    ? "Doubt is the expected number of wrong arcs, lowest the least confidence of an arc."
    : "The model has no confidence: doubt is the mean number of arcs in which a member differs from the vote.";
  $("c-differ").textContent = state.other ? `≠ ${state.other}` : "Differ";
  $("list").replaceChildren(...ordered().map(i => {
    const sentence = state.sentences[i];
    const others = state.other ? [sentence.other] : Object.values(sentence.members);
    const open = element("button", { type: "button", dir: "auto", onclick: () => go(i) }, visible(text(sentence)));
    if (i === state.at) open.setAttribute("aria-current", "true");
    const cells = [
      String(i + 1),
      doubt(sentence).toFixed(2),
      sure ? Math.min(...sentence.words.confidence).toFixed(2) : "–",
      others.includes(null) ? "–" : String(new Set(others.flatMap(other => differing(sentence.words, other))).size),
      open,
    ];
    return element("tr", {}, ...cells.map(cell => element("td", {}, cell)));
  }));
}

function field(word, column, value, list) {
  const input = element("input", { value, autocomplete: "off", spellcheck: false, className: column === "feats" ? "wide" : "" });
  input.setAttribute("aria-label", `${column} of ${word} ${visible(current().words.form[word - 1])}`);
  if (list) input.setAttribute("list", list);
  input.onchange = () => {
    const given = input.value.trim().replace(/\s+/g, " ") || "_";
    return column === "deprel" ? label(word, given) : tag(word, column, given);
  };
  return input;
}

function choice(word, head, names) {  // of a head; its list is filled when it is used, since each word has one
  const option = value => element("option", { value, disabled: value === word }, names[value]);
  const fill = () => {
    if (list.length === names.length) return;
    list.replaceChildren(...names.map((_, value) => option(value)));
    list.value = String(head);
  };
  const onchange = () => setHead(word, Number(list.value));
  const list = element("select", { onchange, onfocus: fill, onpointerdown: fill }, option(head));
  list.setAttribute("aria-label", `head of ${names[word]}`);
  return list;
}

export function showWords(sentence) {
  const { form, lemma, upos, xpos, feats, head, deprel, confidence } = sentence.words;
  const names = ["0 root", ...form.map((one, i) => `${i + 1} ${visible(one)}`)];
  const focused = document.activeElement?.getAttribute("aria-label");
  $("words").replaceChildren(...form.map((one, i) => {
    const given = sentence.given.has(i + 1);
    const fixed = element("input", { type: "checkbox", checked: given, onchange: () =>
      given ? release(i + 1) : fix(i + 1, { head: head[i], deprel: deprel[i] }) });
    fixed.setAttribute("aria-label", `fix the arc of ${names[i + 1]}`);
    const shown = confidence[i]?.toFixed(2), low = Number(shown) < UNSURE;
    const sure = confidence[i] === null ? ["–"] : [
      element("span", { className: low ? "unsure" : "" }, shown + (low ? " ?" : "")),
      element("meter", { min: 0, max: 1, low: UNSURE, optimum: 1, value: shown, ariaHidden: "true" }),
    ];
    const tags = Object.entries({ upos, lemma, xpos, feats }).map(([column, values]) => [field(i + 1, column, values[i])]);
    const cells = [[choice(i + 1, head[i], names)], [field(i + 1, "deprel", deprel[i], "labels")], sure, [fixed], ...tags];
    return element("tr", { className: given ? "given" : "" },
      element("td", {}, String(i + 1)), element("th", { scope: "row", title: visible(one) }, element("bdi", {}, visible(one))),
      ...cells.map(cell => element("td", {}, ...cell)));
  }));
  if (focused) [...$("words").querySelectorAll("[aria-label]")].find(one => one.ariaLabel === focused)?.focus();
}
