/** The agents of a team, and the mailboxes that no agent reads. One tab stop; the arrow keys select. */

import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId } from 'react'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { useWorkers } from '../../stores/teams-and-workers.ts'
import { count } from '../../ui/text/format.ts'
import { MemberRow } from './member-row.tsx'
import { usePeople } from './teams-store.ts'

interface PeopleListProps {
  /** Null: all agents of the conversation. */
  readonly team: Team | null
  readonly selectedId: string | null
  readonly onSelect: (agentId: string) => void
  readonly onOpen: (agentId: string) => void
  /** Moves the focus to the composer. */
  readonly onWrite: () => void
}

export function PeopleList({ team, selectedId, onSelect, onOpen, onWrite }: PeopleListProps) {
  const id = useId()
  const ids = usePeople(team)
  const leaderId = team?.leaderId ?? null
  const workers = ids.filter((agentId) => agentId !== leaderId)
  const selected = selectedId === null ? -1 : ids.indexOf(selectedId)
  const optionOf = useCallback((agentId: string) => `${id}-${agentId}`, [id])
  useEffect(() => {
    if (selectedId !== null)
      document.getElementById(optionOf(selectedId))?.scrollIntoView?.({ block: 'nearest' })
  }, [selectedId, optionOf])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const select = (to: number) => {
      const next = ids[Math.max(0, Math.min(ids.length - 1, to))]
      if (next !== undefined) onSelect(next)
    }
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (key === 'ArrowDown' || key === 'j') select(selected + 1)
    else if (key === 'ArrowUp' || key === 'k') select(selected - 1)
    else if (key === 'Home') select(0)
    else if (key === 'End') select(ids.length - 1)
    else if (key === 'Enter' && selectedId !== null) onOpen(selectedId)
    else if (key === 'm' && selectedId !== null) onWrite()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const row = (agentId: string) => (
    <MemberRow
      key={agentId}
      id={optionOf(agentId)}
      agentId={agentId}
      isLeader={agentId === leaderId}
      hasLeft={hasLeft(team, agentId)}
      selected={agentId === selectedId}
      onSelect={onSelect}
      onOpen={onOpen}
    />
  )
  return (
    <div className="flex h-full min-h-0 flex-col overflow-y-auto">
      <div
        role="listbox"
        aria-label={team === null ? 'Agents' : `Team ${team.name}`}
        aria-activedescendant={selected === -1 || selectedId === null ? undefined : optionOf(selectedId)}
        aria-keyshortcuts="J K Enter M"
        tabIndex={0}
        data-focus-home=""
        onKeyDown={onKeyDown}
        className="group/list flex flex-col gap-3 p-2 outline-none focus-visible:-outline-offset-2"
      >
        {leaderId !== null && ids.includes(leaderId) && <Group title="Leader">{row(leaderId)}</Group>}
        {workers.length > 0 && (
          <Group title={`${team === null ? 'Agents' : 'Workers'} · ${workers.length}`}>
            {workers.map(row)}
          </Group>
        )}
      </div>
      <Mailboxes />
    </div>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for forms
    <div role="group" aria-label={title} className="flex flex-col gap-0.5">
      <span aria-hidden="true" className="side-heading px-2 pt-0.5 pb-0.5">
        {title}
      </span>
      {children}
    </div>
  )
}

function hasLeft(team: Team | null, agentId: string): boolean {
  if (team === null || agentId === team.leaderId) return false
  return team.endedAt !== null || !team.members.some((member) => member.agentId === agentId)
}

/** Messages on this machine that no agent has taken. */
function Mailboxes() {
  const mailboxes = useWorkers((state) => state.mailboxes)
  const failure = useWorkers((state) => state.mailboxFailure)
  const outbox = useWorkers(({ state }) => state.outbox)
  if (mailboxes.length === 0 && failure === null && outbox === 0) return null
  return (
    <section
      aria-label="Mailboxes without an agent"
      className="flex flex-col gap-0.5 border-line border-t p-2"
    >
      <h2 className="side-heading px-2 pt-0.5">Mailboxes without an agent</h2>
      {failure !== null && <p className="px-2 text-bad text-xs">{failure}</p>}
      <ul>
        {mailboxes.map(({ name, waiting }) => (
          <li
            key={name}
            title={`${count(waiting, 'message')} for ${name}. An agent of this name reads them when it starts.`}
            className="flex items-baseline gap-2 px-2 py-0.5 text-fg-1 text-sm"
          >
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <span className="shrink-0 text-fg-2 text-xs">{count(waiting, 'message')}</span>
          </li>
        ))}
      </ul>
      {outbox > 0 && (
        <p className="px-2 text-fg-2 text-xs">
          {count(outbox, 'message or job', 'messages or jobs')} kept here until NATS takes{' '}
          {outbox === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  )
}
