import { useRef } from 'react'
import { useSession } from '../../stores/session-store.ts'
import { sentBefore } from './sent-history.ts'

/** What the Up and Down keys bring: the text to show, or null where the key keeps its usual meaning. */
export type Recall = (direction: 'older' | 'newer', text: string, caret: number) => string | null

/** Goes through what was sent before, from an empty field on; any other text is never replaced. */
export function useRecall(draftKey: string): Recall {
  const folder = useSession((state) => state.folder?.path ?? '')
  const place = useRef({ draftKey, back: 0, shown: '' })
  return (direction, text, caret) => {
    if (place.current.draftKey !== draftKey || text !== place.current.shown)
      place.current = { draftKey, back: 0, shown: '' }
    if (text !== place.current.shown || text.slice(0, caret).includes('\n')) return null
    const sent = sentBefore(folder)
    const back = place.current.back + (direction === 'older' ? 1 : -1)
    if (back < 0 || back > sent.length) return null
    const shown = back === 0 ? '' : (sent[sent.length - back] ?? '')
    place.current = { draftKey, back, shown }
    return shown
  }
}
