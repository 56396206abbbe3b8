/** Tells a screen reader that a question came up, once for each. */
import { useEffect, useRef, useState } from 'react'
import { useConversation, useNeeds } from '../../stores/conversation-store.ts'

/** Once in the window. It is heard, not seen. */
export function PromptAnnouncer() {
  const needs = useNeeds()
  const [words, setWords] = useState('')
  const known = useRef(new Set<string>())
  useEffect(() => {
    const news = needs.filter((need) => !known.current.has(need.prompt.promptId))
    known.current = new Set(needs.map((need) => need.prompt.promptId))
    const newest = news.at(-1)
    if (newest === undefined) {
      if (needs.length === 0) setWords('')
      return
    }
    const name = useConversation.getState().agents.get(newest.agentId)?.definition.name ?? 'An agent'
    const waiting = needs.length === 1 ? '' : ` ${needs.length} questions wait for you.`
    setWords(`${name} needs your permission to ${newest.prompt.subject.action}.${waiting}`)
  }, [needs])
  return (
    <div role="status" className="sr-only">
      {words}
    </div>
  )
}
