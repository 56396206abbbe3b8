/** Keeps the elements of marked text: new colors would replace them and lose what the user has marked. */
import { type RefObject, useEffect, useReducer, useRef } from 'react'
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'

interface Line {
  readonly text: string
  readonly tokens: HighlightedLine | null
  readonly element: RefObject<HTMLElement | null>
}

/** The colors of a line. While the user marks text in the line, they stay as they are. */
export function useSteadyTokens({ text, tokens, element }: Line): HighlightedLine | null {
  const shown = useRef({ text, tokens })
  const [, renderAgain] = useReducer((times: number) => times + 1, 0)
  const isSame = shown.current.text === text && shown.current.tokens === tokens
  if (!isSame && (shown.current.text !== text || !isMarked(element.current))) shown.current = { text, tokens }
  const waits = shown.current.tokens !== tokens
  useEffect(() => {
    if (!waits) return
    const onChange = () => {
      if (!isMarked(element.current)) renderAgain()
    }
    document.addEventListener('selectionchange', onChange)
    return () => document.removeEventListener('selectionchange', onChange)
  }, [waits, element])
  return shown.current.tokens
}

function isMarked(element: HTMLElement | null): boolean {
  const selection = document.getSelection()
  if (element === null || selection === null || selection.isCollapsed) return false
  return selection.getRangeAt(0).intersectsNode(element)
}
