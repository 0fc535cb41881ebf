// The page: texts are parsed by the server, trees drawn by it.
import { $, download, element, plural, say, visible } from "./elements.js";
import { ask, inTurn, tried } from "./requests.js";
import { compare, current, onChange, prepared, state, text, undo } from "./sentences.js";
import { showTrees } from "./trees.js";
import { ordered, showList, showWords } from "./words.js";

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
    Object.assign(state, { sentences, at: 0, model, other: lack ? "" : other, undo: [], chosen: 0 });
    $("labels").replaceChildren(...answer.labels.map(value => element("option", { value })));
    $("result").hidden = false;
    state.at = ordered()[0];
    const n = sentences.reduce((sum, sentence) => sum + sentence.words.form.length, 0);
    say(`${plural(sentences.length, "sentence")}, ${plural(n, "word")}, parsed by ${answer.model}.` +
      (answer.doubt ? ` Doubt: ${answer.doubt}.` : "") + lack, lack !== "");
    await show();
  });
}

async function show() {
  showList(go);
  const sentence = current(), position = ordered().indexOf(state.at);
  $("h-tree").textContent = `Tree of the vote, sentence ${state.at + 1}`;
  $("sentence").textContent = visible(text(sentence));
  $("previous").disabled = position === 0;
  $("next").disabled = position === state.sentences.length - 1;
  $("undo").disabled = !state.undo.length;
  showWords(sentence);
  await showTrees(sentence);
}

async function go(i) {
  state.at = i;
  state.chosen = 0;
  await show();
  $("tree").scrollIntoView();
  $("tree").focus({ preventScroll: true });
}

// Events

onChange(show);

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
$("file").onchange = ({ target }) => {
  const [file] = target.files;
  target.value = "";  // the same file, changed, can be opened again
  if (file) open(file);
};
$("order").onchange = show;
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
  if (event.key.toLowerCase() !== "z" || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  if (event.target.matches("input:not([type=checkbox]), textarea")) return;  // it takes back what is typed
  event.preventDefault();
  undo();
});

const LONGEST = 1 << 19;  // bytes of a text that the server takes for the page

async function open(file) {
  if (file.size > LONGEST) return say(`The page takes files of at most ${LONGEST >> 10} KiB; send longer ones to /process.`, true);
  try {
    $("text").value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
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
