/** Keeps a text selection when its text is rendered again: streamed words arrive, or code gets its colors. */
import {
  type ClipboardEvent,
  Component,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
} from 'react'
import { isEditable, isShortcut } from '../../../ui/platform.ts'

interface KeepSelectionProps {
  /** The element that contains the text. */
  readonly within: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** One end of a selection: in characters from the start of the element, or unchanged if outside. */
type Position = { readonly at: number } | { readonly node: Node; readonly offset: number }

interface Kept {
  readonly anchor: Position
  readonly focus: Position
}

/** A class, because only classes can read the page right before React changes it. */
export class KeepSelection extends Component<KeepSelectionProps> {
  override getSnapshotBeforeUpdate(): Kept | null {
    const selection = document.getSelection()
    const element = this.props.within.current
    if (selection === null || selection.isCollapsed || element === null) return null
    const { anchorNode, focusNode, anchorOffset, focusOffset } = selection
    if (anchorNode === null || focusNode === null) return null
    if (!element.contains(anchorNode) && !element.contains(focusNode)) return null
    return {
      anchor: positionIn(element, anchorNode, anchorOffset),
      focus: positionIn(element, focusNode, focusOffset),
    }
  }

  override componentDidUpdate(_: unknown, __: unknown, kept: Kept | null): void {
    const element = this.props.within.current
    if (kept === null || element === null) return
    const anchor = pointAt(element, kept.anchor)
    const focus = pointAt(element, kept.focus)
    if (anchor === null || focus === null) return
    document.getSelection()?.setBaseAndExtent(anchor.node, anchor.offset, focus.node, focus.offset)
  }

  override render(): ReactNode {
    return this.props.children
  }
}

function positionIn(element: HTMLElement, node: Node, offset: number): Position {
  if (!element.contains(node)) return { node, offset }
  const range = document.createRange()
  range.selectNodeContents(element)
  range.setEnd(node, offset)
  return { at: range.toString().length }
}

/** The point of a position after the change; null if the element has less text now. */
function pointAt(element: HTMLElement, position: Position): { node: Node; offset: number } | null {
  if ('node' in position) return position
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let left = position.at
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.nodeValue?.length ?? 0
    if (left <= length) return { node, offset: left }
    left -= length
  }
  return null
}

/** The selection of text in one transcript: it stays in the transcript, stops following, and can cover everything. */
interface SelectionOptions {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLElement | null>
  /** Called with whether the transcript has a selection, when that changes. */
  readonly onChange: (selected: boolean) => void
  /** Copies the whole conversation. */
  readonly copyAll: () => Promise<unknown>
}

interface SelectionHandlers {
  onPointerDown(event: PointerEvent): void
  /** True if the key was handled. */
  onKeyDown(event: KeyboardEvent): boolean
  onCopy(event: ClipboardEvent): void
}

/** Marks the page while text is selected with the pointer, and the transcript in which the selection started. */
const MARKS = { page: 'data-selecting', origin: 'data-selection-origin' } as const

export function useKeptSelection({
  scroller,
  content,
  onChange,
  copyAll,
}: SelectionOptions): SelectionHandlers {
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    let before = false
    const update = () => {
      // While the pointer selects, the page marks limit what looks selected.
      if (!document.documentElement.hasAttribute(MARKS.page)) limitTo(content.current)
      const selected = hasSelection(scroller.current)
      if (selected !== before) latest.current(selected)
      before = selected
    }
    document.addEventListener('selectionchange', update)
    return () => document.removeEventListener('selectionchange', update)
  }, [scroller, content])
  return {
    onPointerDown(event) {
      const element = scroller.current
      if (element === null || event.button !== 0) return
      // Shift would extend a selection of another panel into this one.
      if (event.shiftKey && !hasSelection(element)) document.getSelection()?.removeAllRanges()
      element.setAttribute(MARKS.origin, '')
      document.documentElement.setAttribute(MARKS.page, '')
      const release = () => {
        element.removeAttribute(MARKS.origin)
        document.documentElement.removeAttribute(MARKS.page)
        for (const type of RELEASES) window.removeEventListener(type, release, true)
        limitTo(content.current)
      }
      for (const type of RELEASES) window.addEventListener(type, release, true)
    },
    onKeyDown(event) {
      if (!isShortcut(event, 'Mod A') || isEditable(event.target) || content.current === null) return false
      event.preventDefault()
      document.getSelection()?.selectAllChildren(content.current)
      return true
    },
    onCopy(event) {
      const { anchorNode, focusNode } = document.getSelection() ?? {}
      if (isEditable(event.target) || anchorNode !== content.current || focusNode !== content.current) return
      // Rows outside the view are not in the page, so the selected elements are not the whole text.
      event.preventDefault()
      void copyAll()
    },
  }
}

const RELEASES = ['pointerup', 'pointercancel', 'blur'] as const

/** Ends a selection that starts in the element and leaves it at the element's edge. */
function limitTo(element: HTMLElement | null): void {
  const selection = document.getSelection()
  const { anchorNode, focusNode } = selection ?? {}
  if (element === null || !anchorNode || !focusNode) return
  if (!element.contains(anchorNode) || element.contains(focusNode)) return
  const isAfter = anchorNode.compareDocumentPosition(focusNode) & Node.DOCUMENT_POSITION_FOLLOWING
  selection?.extend(element, isAfter ? element.childNodes.length : 0)
}

/** Whether some text of the element is selected. */
export function hasSelection(element: HTMLElement | null): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && element?.contains(selection.anchorNode) === true
}

/** The keys of the rows at both ends of the selection, if they are in the element. */
export function selectedRows(element: HTMLElement): readonly string[] {
  if (!hasSelection(element)) return []
  const { anchorNode, focusNode } = document.getSelection() ?? {}
  return [anchorNode, focusNode].flatMap((node) => {
    const nearest = node instanceof Element ? node : node?.parentElement
    const key = nearest?.closest<HTMLElement>('[data-row]')?.dataset['row']
    return key === undefined ? [] : [key]
  })
}
