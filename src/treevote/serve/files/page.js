"use strict";
// The page: texts are parsed by the server, trees drawn by it; all text is put in as text, never as markup.

const $ = id => document.getElementById(id);
const UNSURE = 0.7;
const BATCH = 1 << 16;  // characters of the sentences that are compared in one request
const COLUMNS = { form: 1, lemma: 2, upos: 3, xpos: 4, feats: 5, head: 6, deprel: 7 };
const state = { sentences: [], at: 0, model: "", other: "", labels: [], undo: [], chosen: 0, drawn: 0, turn: 1, width: 0 };

// Elements and words

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function visible(text) {  // control characters and turns of the direction of writing get a sign
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, sign => {
    const code = sign.codePointAt(0);
    if (code === 0x200c || code === 0x200d) return sign;
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `<${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

function say(text, bad = false) {
  $("status").textContent = visible(text);
  $("status").classList.toggle("bad", bad);
}

async function ask(path, request) {
  const response = await fetch(path, request === undefined ? {} : { method: "POST", body: JSON.stringify(request) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

const reason = fault => fault instanceof TypeError ? `The server does not answer (${fault.message}).` : fault.message;

let busy = 0;

async function tried(action) {
  busy += 1;
  document.body.setAttribute("aria-busy", "true");
  try {
    return await action();
  } catch (fault) {
    say(reason(fault), true);
    return undefined;
  } finally {
    busy -= 1;
    if (!busy) document.body.removeAttribute("aria-busy");
  }
}

let last = Promise.resolve();

function inTurn(action) {  // what changes the sentences is done one after the other
  const own = tried(() => last.then(action));
  last = own;
  return own;
}

function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// Sentences: what the server says of them, and what is fixed by hand

const current = () => state.sentences[state.at];
const isToken = line => /^\d+\t/.test(line);
const text = sentence => (sentence.conllu.match(/^# text = (.*)$/m) || [0, sentence.words.form.join(" ")])[1];

function differing(one, other) {  // positions, from 0, of the arcs that are not the same
  return one.head.map((head, i) => i).filter(i => one.head[i] !== other.head[i] || one.deprel[i] !== other.deprel[i]);
}

function doubt(sentence) {  // expected number of wrong arcs; without confidence the share of other arcs of members
  const sure = sentence.words.confidence;
  if (!sure.includes(null)) return sure.reduce((sum, value) => sum + 1 - value, 0);
  const members = Object.values(sentence.members);
  return members.reduce((sum, member) => sum + differing(sentence.words, member).length, 0) / members.length;
}

function lines(sentence, change) {  // the lines in CoNLL-U, with the columns of each token changed
  let at = 0;
  return sentence.conllu.split("\n").map(line => {
    if (!isToken(line)) return line;
    const columns = line.split("\t");
    change(columns, at++);
    return columns.join("\t");
  }).join("\n");
}

function halfDone(sentence) {  // what is fixed, and no other arc
  return lines(sentence, (columns, i) => {
    const given = sentence.given.get(i + 1) || {};
    columns[COLUMNS.head] = String(given.head ?? "_");
    columns[COLUMNS.deprel] = given.deprel ?? "_";
  });
}

function prepared(sentence) {  // what was given is fixed
  const { head, deprel } = sentence.given, given = new Map();
  head.forEach((value, i) => {
    if (value !== null || deprel[i] !== null) given.set(i + 1, { head: value ?? undefined, deprel: deprel[i] ?? undefined });
  });
  return { ...sentence, given, other: null };
}

async function parse() {
  const data = $("text").value;
  if (!data.trim()) return say("Give a text first.", true);
  const keep = $("keep").checked ? "all" : undefined;
  const model = $("model").value, other = $("other").value;
  return inTurn(async () => {
    say("Parsing …");
    const answer = await ask("parse", { data, model, keep });
    if (!answer.sentences.length) return say("There is no sentence in the text.", true);
    const sentences = answer.sentences.map(prepared);
    const lack = other ? await compare(sentences, other) : "";
    Object.assign(state, { sentences, at: 0, model, other: lack ? "" : other, labels: answer.labels, undo: [], chosen: 0 });
    $("labels").replaceChildren(...answer.labels.map(value => element("option", { value })));
    $("result").hidden = false;
    state.at = ordered()[0];
    const n = sentences.reduce((sum, sentence) => sum + sentence.words.form.length, 0);
    say(`${plural(sentences.length, "sentence")}, ${plural(n, "word")}, parsed by ${answer.model}.` +
      (answer.doubt ? ` Doubt: ${answer.doubt}.` : "") + lack, lack !== "");
    await show();
  });
}

async function compare(sentences, model) {  // the same words and tags, parsed by the other model; or why they are not
  try {
    for (const batch of batches(sentences)) {
      const keep = batch.some(one => one.given.size) ? "all" : undefined;
      const answer = await ask("parse", { data: batch.map(halfDone).join(""), model, keep });
      answer.sentences.forEach((found, i) => { batch[i].other = found.words; });
    }
    return "";
  } catch (fault) {
    for (const sentence of sentences) sentence.other = null;
    return ` Not compared with ${model}: ${reason(fault)}`;
  }
}

function batches(sentences) {  // no request is as long as a text may be
  const found = [];
  let length = Infinity;
  for (const sentence of sentences) {
    length += sentence.conllu.length;
    if (length > BATCH) {
      found.push([]);
      length = sentence.conllu.length;
    }
    found.at(-1).push(sentence);
  }
  return found;
}

function change(edit) {  // one sentence changed and parsed again; as it was if the server refuses
  const { sentences, at } = state;
  return inTurn(async () => {
    if (sentences !== state.sentences) return;  // another text was parsed meanwhile
    try {
      await changed(sentences, at, edit);
    } finally {
      await show();
    }
  });
}

async function changed(sentences, at, edit) {
  const before = sentences[at], after = { ...before, given: new Map(before.given) };
  edit(after);
  const answer = await ask("parse", { data: halfDone(after), model: state.model, keep: after.given.size ? "all" : undefined });
  const [found] = answer.sentences;
  const made = { ...found, id: before.id, given: after.given, other: null };
  const lack = state.other ? await compare([made], state.other) : "";
  const others = differing(before.words, found.words).length;
  state.undo.push([at, before]);
  sentences[at] = made;
  say(`Parsed again: ${plural(others, "arc")} changed, ${plural(made.given.size, "word")} fixed.` +
    (answer.doubt ? ` Doubt: ${answer.doubt}.` : "") + lack, lack !== "");
}

const fix = (word, values) => change(sentence => {
  sentence.given.set(word, { ...sentence.given.get(word), ...values });
});

const label = (word, deprel) => change(sentence => sentence.given.set(word, { head: sentence.words.head[word - 1], deprel }));

const release = word => change(sentence => sentence.given.delete(word));

const tag = (word, column, value) => change(sentence => {
  sentence.conllu = lines(sentence, (columns, i) => { if (i + 1 === word) columns[COLUMNS[column]] = value; });
});

const undo = () => inTurn(async () => {
  const latest = state.undo.pop();
  if (!latest) return;
  [state.at, state.sentences[latest[0]]] = latest;
  state.chosen = 0;
  say("Taken back.");
  await show();
});

const setHead = (word, head) => change(sentence => {
  const wasRoot = sentence.words.head[word - 1] === 0;
  const deprel = head === 0 || wasRoot ? undefined : sentence.given.get(word)?.deprel;  // that of a root fits no other arc
  sentence.given.set(word, { head, deprel });
});

// The list, the tree, the words, the members

function ordered() {
  const numbers = state.sentences.map((_, i) => i);
  if ($("order").value === "text") return numbers;
  const doubts = state.sentences.map(doubt);
  return numbers.sort((one, other) => doubts[other] - doubts[one] || one - other);
}

function showList() {
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

async function go(i) {
  state.at = i;
  state.chosen = 0;
  await show();
  $("tree").scrollIntoView();
  $("tree").focus({ preventScroll: true });
}

async function show() {
  showList();
  const sentence = current(), position = ordered().indexOf(state.at);
  $("h-tree").textContent = `Tree of the vote, sentence ${state.at + 1}`;
  $("sentence").textContent = visible(text(sentence));
  $("previous").disabled = position === 0;
  $("next").disabled = position === state.sentences.length - 1;
  $("undo").disabled = !state.undo.length;
  showWords(sentence);
  await showTrees(sentence);
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

function showWords(sentence) {
  const { form, lemma, upos, xpos, feats, head, deprel, confidence } = sentence.words;
  const names = form.map((one, i) => `${i + 1} ${visible(one)}`);
  const focused = document.activeElement?.getAttribute("aria-label");
  $("words").replaceChildren(...form.map((one, i) => {
    const heads = element("select", { onchange: event => setHead(i + 1, Number(event.target.value)) },
      ...["0 root", ...names].map((name, value) => element("option", { value, disabled: value === i + 1 }, name)));
    heads.value = String(head[i]);
    heads.setAttribute("aria-label", `head of ${names[i]}`);
    const given = sentence.given.has(i + 1);
    const fixed = element("input", { type: "checkbox", checked: given, onchange: () =>
      given ? release(i + 1) : fix(i + 1, { head: head[i], deprel: deprel[i] }) });
    fixed.setAttribute("aria-label", `fix the arc of ${names[i]}`);
    const sure = element("td", {}, "–");
    if (confidence[i] !== null) {
      const low = confidence[i] < UNSURE;
      sure.replaceChildren(element("span", { className: low ? "unsure" : "" }, confidence[i].toFixed(2) + (low ? " ?" : "")),
        element("meter", { min: 0, max: 1, low: UNSURE, optimum: 1, value: confidence[i], ariaHidden: "true" }));
    }
    const cells = [heads, field(i + 1, "deprel", deprel[i], "labels")].map(cell => element("td", {}, cell));
    const tags = [["upos", upos], ["lemma", lemma], ["xpos", xpos], ["feats", feats]];
    return element("tr", { className: given ? "given" : "" },
      element("td", {}, String(i + 1)), element("th", { scope: "row", title: visible(one) }, element("bdi", {}, visible(one))),
      ...cells, sure, element("td", {}, fixed),
      ...tags.map(([column, values]) => element("td", {}, field(i + 1, column, values[i]))));
  }));
  if (focused) [...$("words").querySelectorAll("[aria-label]")].find(one => one.ariaLabel === focused)?.focus();
}

function picture(markup, label) {  // an SVG of the server, whose text is escaped, as an element
  const svg = document.importNode(new DOMParser().parseFromString(markup, "image/svg+xml").documentElement, true);
  svg.querySelector("desc")?.remove();
  svg.querySelector("title")?.remove();
  svg.setAttribute("aria-label", visible(label));
  return svg;
}

async function showTrees(sentence) {
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
      if (drawn !== state.drawn) return [];
      showNoTrees();
      throw fault;
    });
    if (drawn !== state.drawn) return;
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

function showNoTrees() {  // no tree of another sentence stays
  state.chosen = 0;
  $("hint").textContent = "";
  $("vote").replaceChildren(element("p", { className: "note" }, "This tree could not be drawn; the table below has its arcs."));
  $("members").replaceChildren();
  $("legend").hidden = true;
}

function member(name, one, markup, sentence) {
  const positions = differing(sentence.words, one), { form } = sentence.words;
  const place = head => head ? `${head} ${form[head - 1]}` : "root";
  const items = positions.map(i => element("li", {}, visible(
    `${i + 1} ${form[i]}: ${one.deprel[i]} of ${place(one.head[i])}, the vote ${sentence.words.deprel[i]} of ${place(sentence.words.head[i])}`)));
  const title = positions.length ? `${plural(positions.length, "other arc")}` : "the same tree";
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
    const step = { ArrowRight: state.turn, ArrowLeft: -state.turn, Home: 1 - word, End: form.length - word }[event.key];
    if (step !== undefined) focusWord(word + step);
    else if (event.key === "Enter" || event.key === " ") pick(word);
    else if (event.key === "r" || event.key === "R") setHead(state.chosen || word, 0).then(() => focusWord(word));
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

async function pick(word) {
  if (!state.chosen) return choose(word);
  const [dependent, head] = [state.chosen, word === state.chosen ? 0 : word];
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

// Events

$("form").onsubmit = event => { event.preventDefault(); parse(); };
$("text").onkeydown = event => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) parse(); };
$("text").ondragover = event => { event.preventDefault(); $("text").classList.add("over"); };
$("text").ondragleave = () => $("text").classList.remove("over");
$("text").ondrop = event => {
  $("text").classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (!file) return;
  event.preventDefault();
  open(file);
};
$("file").onchange = event => { if (event.target.files.length) open(event.target.files[0]); };
$("order").onchange = showList;
$("undo").onclick = undo;
$("previous").onclick = () => go(ordered()[ordered().indexOf(state.at) - 1]);
$("next").onclick = () => go(ordered()[ordered().indexOf(state.at) + 1]);
$("save").onclick = () => download("parsed.conllu", "text/plain", state.sentences.map(one => one.conllu).join(""));
$("picture").onclick = () => tried(async () => {
  const { words } = current();
  const request = { words, trees: [words], confidence: words.confidence, width: 960, caption: text(current()) };
  download(`sentence-${state.at + 1}.svg`, "image/svg+xml", (await ask("draw", request)).file);
});
document.addEventListener("keydown", event => {
  if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.target.matches("input, textarea")) return;
  event.preventDefault();
  undo();
});

async function open(file) {
  try {
    $("text").value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return say("The file cannot be read as UTF-8; save it in UTF-8 first.", true);
  }
  return parse();
}

let timer = 0;
new ResizeObserver(([entry]) => {
  if (!state.sentences.length || Math.abs(entry.contentRect.width - state.width) < 8) return;
  state.width = entry.contentRect.width;
  clearTimeout(timer);
  timer = setTimeout(() => showTrees(current()), 200);
}).observe($("vote"));

tried(async () => {
  const { models } = await ask("models");
  const names = Object.keys(models);
  $("model").replaceChildren(...names.map(name => element("option", {}, name)));
  $("other").append(...names.map(name => element("option", { value: name }, name)));
  $("beside").hidden = names.length < 2;
});
