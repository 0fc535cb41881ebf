// Sentences: what the server says of them, and what is fixed by hand.
import { plural, say } from "./elements.js";
import { ask, inTurn, reason } from "./requests.js";

const BATCH = 1 << 16;  // characters of the sentences that are compared in one request
const COLUMNS = { lemma: 2, upos: 3, xpos: 4, feats: 5, head: 6, deprel: 7 };
export const state = { sentences: [], at: 0, model: "", other: "", undo: [], chosen: 0, drawn: 0, turn: 1, width: 0 };

let show = async () => {};

export function onChange(action) {  // what is done, and waited for, after each change of a sentence
  show = action;
}

export const current = () => state.sentences[state.at];
export const text = sentence => (sentence.conllu.match(/^# text = ([^\n]*)/m) || [0, sentence.words.form.join(" ")])[1];

export function differing(one, other) {  // positions, from 0, of the arcs that are not the same
  return one.head.map((head, i) => i).filter(i => one.head[i] !== other.head[i] || one.deprel[i] !== other.deprel[i]);
}

export function doubt(sentence) {  // expected number of wrong arcs; without confidence the share of other arcs of members
  const sure = sentence.words.confidence;
  if (!sure.includes(null)) return sure.reduce((sum, value) => sum + 1 - value, 0);
  const members = Object.values(sentence.members);
  return members.reduce((sum, member) => sum + differing(sentence.words, member).length, 0) / members.length;
}

function lines(sentence, change) {  // the lines in CoNLL-U, with the columns of each token changed
  let at = 0;
  return sentence.conllu.split("\n").map(line => {
    if (!/^\d+\t/.test(line)) return line;
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

export function prepared(sentence) {  // what was given is fixed
  const { head, deprel } = sentence.given, given = new Map();
  head.forEach((value, i) => {
    if (value !== null || deprel[i] !== null) given.set(i + 1, { head: value ?? undefined, deprel: deprel[i] ?? undefined });
  });
  return { ...sentence, given, other: null };
}

export async function compare(sentences, model) {  // the same words and tags, parsed by the other model; or why they are not
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

export const fix = (word, values) => change(sentence => {
  sentence.given.set(word, { ...sentence.given.get(word), ...values });
});

export const label = (word, deprel) => change(sentence => sentence.given.set(word, { head: sentence.words.head[word - 1], deprel }));

export const release = word => change(sentence => sentence.given.delete(word));

export const tag = (word, column, value) => change(sentence => {
  sentence.conllu = lines(sentence, (columns, i) => { if (i + 1 === word) columns[COLUMNS[column]] = value; });
});

export const undo = () => inTurn(async () => {
  const latest = state.undo.pop();
  if (!latest) return;
  [state.at, state.sentences[latest[0]]] = latest;
  state.chosen = 0;
  say("Taken back.");
  await show();
});

export const setHead = (word, head) => change(sentence => {
  const wasRoot = sentence.words.head[word - 1] === 0;
  const deprel = head === 0 || wasRoot ? undefined : sentence.given.get(word)?.deprel;  // that of a root fits no other arc
  sentence.given.set(word, { head, deprel });
});
