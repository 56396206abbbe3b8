/**
 * Keeps the keyboard focus in the window. When the focused element is removed, moved, hidden or disabled, the browser
 * moves the focus to the page's body, where no key does anything. The keeper then gives the focus to the nearest
 * sensible element. It watches only the ancestors of the focused element, so streamed text costs nothing.
 */
import { useEffect } from 'react'

/** Time for components that move the focus themselves. In ms. */
const PATIENCE = 50
const ATTEMPTS = 60
const WATCHED = { childList: true, attributes: true, attributeFilter: ['disabled', 'hidden', 'inert'] }
const TABBABLE =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), [tabindex]:not([tabindex="-1"])'

export function useFocusKeeper(): void {
  useEffect(() => {
    let place: Place | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new MutationObserver((records) => {
      if (place !== null && records.some((record) => concerns(record, place))) recoverSoon()
    })
    /** A view that loads has no element yet: then it is tried again. */
    const recoverSoon = (attempt = 1) => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (!isLost() || place === null) return
        const found = refuge(place)
        if (found !== null) found.focus()
        else if (attempt < ATTEMPTS) recoverSoon(attempt + 1)
      }, PATIENCE)
    }
    const watch = (element: Element | null) => {
      observer.disconnect()
      place = element === null || element === document.body ? null : placeOf(element)
      for (const { node } of place ?? []) observer.observe(node, WATCHED)
    }
    const onFocusIn = (event: FocusEvent) => watch(event.target instanceof Element ? event.target : null)
    /** The user may leave an element on purpose: with a click beside it, or with Escape. Then it is still there. */
    const onLeave = () =>
      setTimeout(() => {
        const left = place?.[0]?.node
        if (left !== undefined && isLost() && !isUsable(left)) recoverSoon()
        if (timer === undefined) watch(document.activeElement)
      })
    document.addEventListener('focusin', onFocusIn)
    document.addEventListener('focusout', onLeave)
    watch(document.activeElement)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', onFocusIn)
      document.removeEventListener('focusout', onLeave)
    }
  }, [])
}

/** The focused element and its ancestors, innermost first, each with its position among its siblings. */
type Place = readonly { readonly node: Element; readonly parent: Element | null; readonly index: number }[]

function placeOf(element: Element): Place {
  const place: { node: Element; parent: Element | null; index: number }[] = []
  for (let node: Element | null = element; node !== null && node !== document.documentElement; ) {
    const parent: Element | null = node.parentElement
    place.push({
      node,
      parent,
      index: node.tagName === 'LI' && parent ? [...parent.children].indexOf(node) : -1,
    })
    node = parent
  }
  return place
}

/** Whether a mutation removed, moved, hid or disabled a part of the place. */
function concerns(record: MutationRecord, place: Place | null): boolean {
  if (record.type === 'attributes') return true
  return [...record.removedNodes].some((removed) => place?.some(({ node }) => node === removed))
}

function isLost(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body || !isUsable(activeElement)
}

function isUsable(element: Element): boolean {
  return (
    element.isConnected && !element.matches(':disabled, [inert] *') && (element.checkVisibility?.() ?? true)
  )
}

/** The element that gets the lost focus. */
function refuge(place: Place): HTMLElement | null {
  const lost = place[0]?.node
  if (lost instanceof HTMLElement && isUsable(lost)) return lost
  // After the answer to a request: a key that comes too late must not be typed into a field.
  if (lost instanceof HTMLElement && lost.dataset['afterAnswer'] === '') return main()
  for (const { node, parent, index } of place) {
    const near = node.isConnected ? inside(node) : neighbor(parent, index)
    if (near !== null) return near
  }
  return first(document, '[data-focus-home], [data-agent-panel]') ?? main()
}

/** In a list the row that took the place of the removed one. */
function neighbor(list: Element | null, index: number): HTMLElement | null {
  if (index === -1 || list === null || !list.isConnected) return null
  const row = list.children[Math.min(index, list.children.length - 1)]
  return row === undefined ? null : first(row, TABBABLE)
}

/** The ancestor itself if it takes the focus, or the text field that it is for. */
function inside(ancestor: Element): HTMLElement | null {
  if (ancestor instanceof HTMLElement && ancestor.matches('[tabindex]') && isUsable(ancestor)) return ancestor
  return ancestor === document.body ? null : first(ancestor, '[data-focus-home]')
}

function first(root: ParentNode, selector: string): HTMLElement | null {
  return [...root.querySelectorAll<HTMLElement>(selector)].find(isUsable) ?? null
}

/** The main part of a view without a better element: the next Tab continues there. */
function main(): HTMLElement | null {
  const element = first(document, 'main, [role="main"]')
  if (element === null) return null
  element.tabIndex = -1
  element.dataset['focusFallback'] = ''
  return element
}
