// Elements of the page: all text is put in as text, never as markup.

export const $ = id => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export function visible(text) {  // control characters and turns of the direction of writing get a sign
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, sign => {
    const code = sign.codePointAt(0);
    if (code === 0x200c || code === 0x200d) return sign;
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `<${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

export const plural = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;

export function say(text, bad = false) {
  $("status").textContent = visible(text);
  $("status").classList.toggle("bad", bad);
}

export function download(name, type, content) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
