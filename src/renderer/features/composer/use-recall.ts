import { useRef } from 'react'
import { useSession } from '../../stores/session-store.ts'
import { sentBefore } from './sent-history.ts'

/** The text that Up or Down brings back, or null if the key keeps its default meaning. */
export type Recall = (direction: 'older' | 'newer', text: string, caret: number) => string | null

/** Steps through the sent messages, starting from an empty field. Other text is never replaced. */
export function useRecall(draftKey: string): Recall {
  const folder = useSession((state) => state.folder?.path ?? '')
  const position = useRef({ draftKey, back: 0, shown: '' })
  return (direction, text, caret) => {
    if (position.current.draftKey !== draftKey || text !== position.current.shown)
      position.current = { draftKey, back: 0, shown: '' }
    if (text !== position.current.shown || text.slice(0, caret).includes('\n')) return null
    const sent = sentBefore(folder)
    const back = position.current.back + (direction === 'older' ? 1 : -1)
    if (back < 0 || back > sent.length) return null
    const shown = back === 0 ? '' : (sent[sent.length - back] ?? '')
    position.current = { draftKey, back, shown }
    return shown
  }
}
