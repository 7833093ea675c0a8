// How everything comes into the page: as elements and text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings become text. A name that begins with "on" is a listener. */
export function make(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Set a text where it differs, so that nothing is read out or painted twice. */
export function tell(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Bring a list in line with items, keeping the elements that stay: focus and open details survive. */
export function align(list, items, keyOf, create, update) {
  const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
  let place = list.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = known.get(key);
    known.delete(key);
    if (!element) {
      element = create(item);
      element.dataset.key = key;
    }
    update?.(element, item);
    if (element === place) place = place.nextElementSibling;
    else list.insertBefore(element, place);
  }
  for (const gone of known.values()) gone.remove();
}

/** The choices of a select, the chosen one kept where it is still there. */
export function choices(select, values, textOf = (value) => value) {
  const same = [...select.options].map((option) => option.value).join("\n") === values.join("\n");
  if (same) return;
  const before = select.value;
  select.replaceChildren(...values.map((value) => make("option", { value }, textOf(value))));
  if (values.includes(before)) select.value = before;
}

/** What a screen reader says, and what stands under the head of the page. */
export function say(text) {
  tell(byId("said"), text);
}
