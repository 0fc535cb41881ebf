"use strict";

// Tables: the head of a column sorts by it, up and down in turn.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = element("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const descending = before === "none" ? head.dataset.kind === "number" : before === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const body = table.tBodies[0];
      const keyed = [...body.rows].map((row) => ({ row, key: sortKey(row.cells[column], head.dataset.kind) }));
      keyed.sort((a, b) => compare(a.key, b.key, descending));
      body.append(...keyed.map(({ row }) => row));
    });
  });
}

function sortKey(cell, kind) {
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  if (kind === "text") return cell.textContent;
  const number = parseFloat(cell.textContent.replaceAll(",", ""));
  return Number.isNaN(number) ? null : number;
}

// What is missing stays at the end in both directions.
function compare(a, b, descending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "string" ? a.localeCompare(b, "en") : a - b;
  return descending ? -order : order;
}

// Numbers that open to the sentences behind them.
const quotations = JSON.parse(document.getElementById("quotations").textContent);

for (const button of document.querySelectorAll("button.cell")) {
  button.addEventListener("click", () => {
    const frame = button.closest(".frame");
    const panel = frame.nextElementSibling;
    const wasOpen = button.getAttribute("aria-expanded") === "true";
    frame.querySelectorAll("button.cell").forEach((other) => other.setAttribute("aria-expanded", "false"));
    button.setAttribute("aria-expanded", String(!wasOpen));
    panel.hidden = wasOpen;
    panel.replaceChildren(...(wasOpen ? [] : quoted(button)));
  });
}

function quoted(button) {
  const [system, examples] = quotations.lists[Number(button.dataset.list)];
  const list = element("ol");
  for (const [number, token, goldHead, goldLabel, head, label] of examples) {
    const [id, forms] = quotations.sentences[number];
    const sentence = element("p", "quotation");
    sentence.dir = "auto";
    forms.forEach((form, at) => {
      const position = at + 1;
      const marks = { token, "gold-head": goldHead, "system-head": head };
      const kinds = Object.keys(marks).filter((kind) => marks[kind] === position);
      sentence.append(kinds.length ? element("span", kinds.join(" "), form) : form, " ");
    });
    const told = element("p", "told");
    told.append(
      element("span", "gold-arc", `gold: ${arc(goldHead, goldLabel, forms)}`),
      element("span", "system-arc", `${quotations.systems[system]}: ${arc(head, label, forms)}`),
      element("span", "", `sentence ${number}${id ? `, ${id}` : ""}`),
    );
    const item = element("li");
    item.append(sentence, told);
    list.append(item);
  }
  return [element("p", "told", button.title), list];
}

function arc(head, label, forms) {
  if (head < 0) return "no head";
  return head ? `${label} of “${forms[head - 1]}”` : `${label} on ROOT`;
}

function element(name, kind = "", text = "") {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (text) made.textContent = text;
  return made;
}

// On paper nothing is folded, unless only the summary is printed.
document.getElementById("print-page").addEventListener("click", () => print());
document.getElementById("print-summary").addEventListener("click", () => {
  document.documentElement.classList.add("summary-only");
  print();
  document.documentElement.classList.remove("summary-only");
});
addEventListener("beforeprint", () => {
  if (document.documentElement.classList.contains("summary-only")) return;
  document.querySelectorAll("details:not([open])").forEach((fold) => {
    fold.open = true;
    fold.dataset.printed = "";
  });
});
addEventListener("afterprint", () => {
  document.querySelectorAll("details[data-printed]").forEach((fold) => {
    fold.open = false;
    delete fold.dataset.printed;
  });
});
