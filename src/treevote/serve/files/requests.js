// Requests to the server, and their faults.
import { $, say } from "./elements.js";

export async function ask(path, request) {
  const response = await fetch(path, request === undefined ? {} : { method: "POST", body: JSON.stringify(request) });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

export const reason = fault => fault instanceof TypeError ? `The server does not answer (${fault.message}).` : fault.message;

let busy = 0;

export async function tried(action) {
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

export function inTurn(action) {  // what changes the sentences is done one after the other
  const own = tried(() => last.then(action));
  last = own;
  return own;
}
