/** Keeps a text selection when its text is rendered again: streamed words arrive, or code gets its colors. */
import { Component, type ReactNode, type RefObject } from 'react'

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
