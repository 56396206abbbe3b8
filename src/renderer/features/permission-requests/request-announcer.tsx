/** Announces each new permission request to screen readers, once. */
import { useEffect, useRef, useState } from 'react'
import { displayName } from '../../stores/agent-text.ts'
import { useConversation, useNeeds } from '../../stores/conversation-store.ts'

/** Mounted once in the window; visible to assistive technology only. */
export function RequestAnnouncer() {
  const needs = useNeeds()
  const [announcement, setAnnouncement] = useState('')
  const known = useRef(new Set<string>())
  useEffect(() => {
    const added = needs.filter((need) => !known.current.has(need.request.requestId))
    known.current = new Set(needs.map((need) => need.request.requestId))
    const newest = added.at(-1)
    if (newest === undefined) {
      if (needs.length === 0) setAnnouncement('')
      return
    }
    const agent = useConversation.getState().agents.get(newest.agentId)
    const name = agent === undefined ? 'An agent' : displayName(agent)
    const pending = needs.length === 1 ? '' : ` ${needs.length} requests are pending.`
    setAnnouncement(`${name} needs your permission to ${newest.request.subject.action}.${pending}`)
  }, [needs])
  return (
    <div role="status" className="sr-only">
      {announcement}
    </div>
  )
}
