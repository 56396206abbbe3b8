/** Where the focus goes: to a request, after an overlay closes, and with the arrow keys. */
import {
  type KeyboardEvent as ReactKeyboardEvent,
  type Ref,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react'
import { elapsedMs } from './machine.ts'
import { isEditable, isFind } from './platform.ts'

/**
 * The focus after an overlay closes: the element that was focused meanwhile; otherwise the origin; if the origin was
 * removed, the first visible element with `data-focus-home`, then the panel of an agent.
 */
export function useFinalFocus(open: boolean): () => HTMLElement | boolean {
  const before = useRef<Element | null>(null)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current) before.current = originOf(document.activeElement)
  wasOpen.current = open
  return () => {
    const now = document.activeElement
    const dialog = now?.closest('[role="dialog"]') ?? null
    // The chosen command has moved the focus already, and may move it again; or another overlay has opened meanwhile.
    if (
      now instanceof HTMLElement &&
      now !== document.body &&
      (dialog === null || dialog.matches('[data-open]'))
    )
      return false
    const { current } = before
    if (current instanceof HTMLElement && current !== document.body && isAvailable(current)) return current
    return (
      [...document.querySelectorAll<HTMLElement>('[data-focus-home], [data-agent-panel]')].find(
        isAvailable,
      ) ?? true
    )
  }
}

function isAvailable(element: HTMLElement): boolean {
  return element.isConnected && (element.checkVisibility?.() ?? true)
}

/** By an element that has the focus only until an overlay has loaded: the element that had it before. */
const origins = new WeakMap<Element, Element>()

/** Moves the focus to an element that stands for the one that has it now. */
export function focusInstead(element: HTMLElement): void {
  const { activeElement } = document
  if (activeElement !== null && activeElement !== element) origins.set(element, activeElement)
  element.focus()
}

const originOf = (element: Element | null): Element | null =>
  element === null ? null : (origins.get(element) ?? element)

/** The element around a card that gets the focus after the answer: an agent's panel, or the queue of requests. */
const REQUEST_SCOPE = '[data-request-scope]'

/** Gives the focus to a card in a dialog or in the current entry of a list, and passes it on when the card leaves with it. */
export function useRequestFocus(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const focused = document.activeElement
    const dialog = card.current?.closest('[role="dialog"]')
    const isInEntry = card.current?.closest('[data-current]')?.contains(focused) === true
    if (!(dialog || isInEntry) || (dialog?.contains(focused) && isEditable(focused))) return
    card.current?.focus({ preventScroll: true })
  }, [card])
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      const scope = element.closest<HTMLElement>(REQUEST_SCOPE)
      if (scope !== null) focusAfterAnswer(scope)
    }
  }, [card])
}

/** After the last answer, further keys of an answer do nothing this long, counted from the last of them. In ms. */
const STRAY_MS = 1500

/**
 * Gives the focus to the element around an answered card, which may send what is typed to a text field. The keys of an
 * answer that come now were meant for the card: they go nowhere, until the user presses something else or pauses.
 */
function focusAfterAnswer(scope: HTMLElement): void {
  const takesFocus = scope.hasAttribute('tabindex')
  if (!takesFocus) scope.tabIndex = -1
  scope.focus({ preventScroll: true })
  // If the element goes too, the focus passes to no text field: see the focus keeper.
  scope.dataset['afterAnswer'] = ''
  let last = elapsedMs()
  const stop = () => scope.removeEventListener('keydown', onKeyDown, { capture: true })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Shift') return
    const isAnswer = /^(a|d|enter)$/i.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isAnswer) delete scope.dataset['afterAnswer']
    if (event.target !== scope || !isAnswer || elapsedMs() - last >= STRAY_MS) return stop()
    last = elapsedMs()
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    stop()
    if (relatedTarget !== null) delete scope.dataset['afterAnswer']
    if (!takesFocus) scope.removeAttribute('tabindex')
  }
  scope.addEventListener('keydown', onKeyDown, { capture: true })
  scope.addEventListener('focusout', onBlur, { once: true })
}

/**
 * Up and down move the focus among the elements of a list that match.
 * @returns the element that has the focus now; null: the key is another one, or nothing was there
 */
export function moveFocusInList(
  event: ReactKeyboardEvent<HTMLElement>,
  selector: string,
): HTMLElement | null {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const elements = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)]
  const at = elements.findIndex((one) => one.contains(document.activeElement))
  if (step === undefined || at === -1) return null
  event.preventDefault()
  const next = elements[at + step]
  next?.focus()
  return next ?? null
}

/**
 * Keys that work anywhere in the element of the returned ref, and while nothing has the focus: a focused element
 * may disappear as agents work. `run` returns whether the key was handled.
 */
export function useViewKeys(run: (event: KeyboardEvent) => boolean): Ref<HTMLDivElement> {
  const top = useRef<HTMLDivElement>(null)
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      const find = isFind(event)
      if (!find && (event.ctrlKey || event.metaKey || event.altKey || event.repeat)) return
      if (!(target instanceof HTMLElement)) return
      if (target !== document.body && top.current?.contains(target) !== true) return
      if (!find && target.closest('input, textarea') !== null) return
      // A disabled button swallows every key.
      if (event.defaultPrevented && target.getAttribute('aria-disabled') !== 'true') return
      if (latest.current(event)) event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  return top
}
