/** Announces each new permission request and form to screen readers, once. */
import { useEffect, useRef, useState } from 'react'
import { formAction } from '../../../shared/forms/form.ts'
import { needId, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { agentName, displayName } from '../../ui/text/agent-text.ts'

/** Mounted once in the window; visible to assistive technology only. */
export function RequestAnnouncer() {
  const needs = useNeeds()
  const [announcement, setAnnouncement] = useState('')
  const known = useRef(new Set<string>())
  useEffect(() => {
    const added = needs.filter((need) => !known.current.has(needId(need)))
    known.current = new Set(needs.map(needId))
    const newest = added.at(-1)
    const isPast = useConversation.getState().pastAt !== null
    if (newest === undefined || isPast) {
      if (needs.length === 0) setAnnouncement('')
      return
    }
    const agent = useConversation.getState().agents.get(newest.agentId)
    const { request, form } = newest
    const name = agent === undefined ? 'An agent' : form ? agentName(agent) : displayName(agent)
    const pending = needs.length === 1 ? '' : ` ${needs.length} requests are pending.`
    const asks = request ? `needs your permission to ${request.subject.action}` : formAction(form.form)
    setAnnouncement(`${name} ${asks}.${pending}`)
  }, [needs])
  return (
    <div role="status" className="sr-only">
      {announcement}
    </div>
  )
}
