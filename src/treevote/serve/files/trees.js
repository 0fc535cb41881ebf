// The tree of the vote and those of the members.
import { $, element, plural, visible } from "./elements.js";
import { ask, reason, tried } from "./requests.js";
import { current, differing, setHead, state, text } from "./sentences.js";

function picture(markup, label) {  // an SVG of the server, whose text is escaped, as an element
  const svg = document.importNode(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement, true);
  svg.querySelector("desc")?.remove();
  svg.querySelector("title")?.remove();
  svg.setAttribute("aria-label", visible(label));
  return svg;
}

export async function showTrees(sentence) {
  const drawn = ++state.drawn;
  const { words } = sentence;
  const wrong = ([, one]) => differing(words, one).length;
  const members = Object.entries(sentence.members);
  const others = members.length > 1 ? members.sort((one, other) => wrong(other) - wrong(one)) : [];
  if (sentence.other) others.unshift([`${state.other}, its vote`, sentence.other]);
  const width = Math.max(280, $("vote").clientWidth), scale = width > 700 ? 1.35 : 1, half = others.length > 1 && width > 1120 ? (width - 32) / 2 : width;
  state.width = $("vote").clientWidth;
  const tree = ({ head, deprel }) => ({ head, deprel });
  const named = { form: words.form, upos: words.upos };
  await tried(async () => {
    const [vote, rest] = await Promise.all([
      ask("draw", { words: named, trees: [tree(words)], confidence: words.confidence, width: width / scale }),
      others.length ? ask("draw", { words: named, trees: [words, ...others.map(([, one]) => one)].map(tree), width: half }) : { pictures: [] },
    ]).catch(fault => {
      if (drawn === state.drawn) showNoTrees(reason(fault));
      return [];
    });
    if (drawn !== state.drawn || !vote) return;
    const svg = picture(vote.pictures[0], `Tree of ${text(sentence)}`);
    svg.setAttribute("role", "group");
    for (const side of ["width", "height"]) svg.setAttribute(side, scale * svg.getAttribute(side));
    const focused = $("vote").contains(document.activeElement) && document.activeElement.dataset.word;
    $("vote").replaceChildren(svg);
    const [one, two] = [1, 2].map(word => Number(svg.querySelector(`[data-word="${word}"]`)?.getAttribute("x")));
    state.turn = two < one && words.form.length > 1 ? -1 : 1;  // read from right to left
    for (const word of svg.querySelectorAll("[data-word]")) prepare(word, sentence);
    choose(state.chosen);
    if (focused) focusWord(focused);
    $("members").replaceChildren(...others.map(([name, one], i) => member(name, one, rest.pictures[i + 1], sentence)));
    $("h-members").textContent = sentence.other ? "The other model, and the members" : "Trees of the members";
    if (!others.length) $("members").replaceChildren(element("p", { className: "note" }, "The model has one member: its tree is that of the vote."));
    $("legend").hidden = !others.length;
  });
}

function showNoTrees(why) {  // no tree of another sentence stays
  state.chosen = 0;
  $("hint").textContent = "";
  $("vote").replaceChildren(element("p", { className: "note" }, `This tree could not be drawn; the table below has its arcs. ${why}`));
  $("members").replaceChildren();
  $("legend").hidden = true;
}

function member(name, one, markup, sentence) {
  const positions = differing(sentence.words, one), { form } = sentence.words;
  const place = head => head ? `${head} ${form[head - 1]}` : "root";
  const items = positions.map(i => element("li", {}, visible(
    `${i + 1} ${form[i]}: ${one.deprel[i]} of ${place(one.head[i])}, the vote ${sentence.words.deprel[i]} of ${place(sentence.words.head[i])}`)));
  const title = positions.length ? plural(positions.length, "other arc") : "the same tree";
  return element("details", { open: positions.length > 0 },
    element("summary", {}, element("h3", {}, `${visible(name)}: ${title}`)),
    element("div", { className: "frame" }, picture(markup, `Tree of ${name}: ${title}`)),
    element("ul", { className: "different" }, ...items));
}

// The choice of a head in the tree, by pointer or keys

function prepare(node, sentence) {
  const word = Number(node.dataset.word);
  const arc = sentence.words.head[word - 1], { form } = sentence.words;
  const label = `${word} ${form[word - 1]}, ${sentence.words.deprel[word - 1]} of ${arc ? form[arc - 1] : "root"}`;
  node.setAttribute("tabindex", word === 1 ? "0" : "-1");
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", visible(label));
  node.classList.toggle("given", sentence.given.has(word));
  node.addEventListener("click", () => pick(word));
  node.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;  // a key of the browser, such as that to load again
    const step = { ArrowRight: state.turn, ArrowLeft: -state.turn, Home: 1 - word, End: form.length - word }[event.key];
    if (step !== undefined) focusWord(word + step);
    else if (event.key === "Enter" || event.key === " ") pick(word);
    else if (event.key === "r" || event.key === "R") attach(state.chosen || word, 0);
    else if (event.key === "Escape") choose(0);
    else return;
    event.preventDefault();
  });
}

function focusWord(word) {
  const node = $("vote").querySelector(`[data-word="${word}"]`);
  if (!node) return;
  for (const other of $("vote").querySelectorAll("[data-word]")) other.setAttribute("tabindex", "-1");
  node.setAttribute("tabindex", "0");
  node.focus();
}

function pick(word) {
  if (state.chosen) attach(state.chosen, word === state.chosen ? 0 : word);
  else choose(word);
}

async function attach(dependent, head) {
  choose(0);
  await setHead(dependent, head);
  focusWord(dependent);
}

function choose(word) {
  state.chosen = word;
  for (const node of $("vote").querySelectorAll("[data-word]")) node.classList.toggle("chosen", Number(node.dataset.word) === word);
  $("hint").textContent = word
    ? `Choose the head of “${visible(current().words.form[word - 1])}”; the word itself makes it the root; Escape leaves it.`
    : "Click a word, then its head: the sentence is parsed again around this arc. Numbers below words are the confidence of their arcs.";
}
