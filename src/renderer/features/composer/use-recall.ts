import { useRef } from 'react'
import { splitPasted } from '../../../shared/messages/pasted-text.ts'
import { type Draft, draftOf, pastedText } from '../../stores/draft-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { sentBefore } from './sent-history.ts'

/** A message as parts of a draft. */
export type MessageParts = Pick<Draft, 'text' | 'pasted'>

/** The message that Up or Down brings back, or null if the key keeps its default meaning. */
type Recall = (direction: 'older' | 'newer', caret: number) => MessageParts | null

const NOTHING: MessageParts = { text: '', pasted: [] }

/** Steps through the sent messages, starting from an empty draft. Other text is never replaced. */
export function useRecall(draftKey: string): Recall {
  const folder = useSession((state) => state.folder?.path ?? '')
  const position = useRef({ draftKey, back: 0, shown: NOTHING })
  return (direction, caret) => {
    const draft = draftOf(draftKey)
    if (position.current.draftKey !== draftKey || !isSame(draft, position.current.shown))
      position.current = { draftKey, back: 0, shown: NOTHING }
    if (!isSame(draft, position.current.shown) || draft.text.slice(0, caret).includes('\n')) return null
    const sent = sentBefore(folder)
    const back = position.current.back + (direction === 'older' ? 1 : -1)
    if (back < 0 || back > sent.length) return null
    const shown = back === 0 ? NOTHING : partsOf(sent[sent.length - back] ?? '')
    position.current = { draftKey, back, shown }
    return shown
  }
}

/** Takes a sent message apart: its text, and its pasted texts as chips. */
export function partsOf(message: string): MessageParts {
  const { text, pasted } = splitPasted(message)
  return { text, pasted: pasted.map(pastedText) }
}

function isSame(draft: MessageParts, shown: MessageParts): boolean {
  return (
    draft.text === shown.text &&
    draft.pasted.length === shown.pasted.length &&
    draft.pasted.every(({ key }, index) => key === shown.pasted[index]?.key)
  )
}
