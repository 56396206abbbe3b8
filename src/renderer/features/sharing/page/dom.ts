/** Elements of the page. Texts are always text: nothing of a conversation is ever read as markup. */

type Child = Node | string | null

interface Props {
  readonly class?: string
  readonly on?: Readonly<Record<string, (event: never) => void>>
  readonly [attribute: string]: unknown
}

/** An element with its attributes and listeners. Attributes that are null, undefined or false are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children)
}

/** The same for drawings. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children)
}

function fill<E extends Element>(
  element: E,
  { on = {}, ...attributes }: Props,
  children: readonly Child[],
): E {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : String(value))
  for (const [type, listener] of Object.entries(on))
    element.addEventListener(type, listener as (event: Event) => void)
  element.append(...children.filter((child) => child !== null))
  return element
}
