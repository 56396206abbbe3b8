/** The title line of the view: the team, what is shown, the connection to NATS, and what can be done with the team. */
import { ChevronDown, CircleAlert, Play, Plus, Users } from 'lucide-react'
import { useState } from 'react'
import type { Team } from '../../../shared/teams/team-schema.ts'
import type { NatsState, WorkersState } from '../../../shared/workers/worker-presence.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { resumeStuckTeam, useWorkers } from '../../stores/teams-and-workers.ts'
import { Button } from '../../ui/button.tsx'
import { ChipButton } from '../../ui/chip.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { ViewHeader } from '../../ui/view-header.tsx'
import { stuckSentence, useStuck } from './stuck-text.ts'
import { chooseTeam, showTeamDialog, type TeamScope, useTeamList, useTeams } from './teams-store.ts'

interface TeamHeaderProps {
  readonly team: Team | null
  readonly scope: TeamScope
  /** The number of all mailboxes: those of the agents, and those without one. */
  readonly mailboxes: number
}

export function TeamHeader({ team, scope, mailboxes }: TeamHeaderProps) {
  const teams = useTeamList()
  const readOnly = useConversation((state) => state.readOnly)
  const canEnd = team !== null && team.endedAt === null && !readOnly
  return (
    <section aria-label="Team" className="shrink-0 bg-bg-1">
      <ViewHeader title="Mailbox & teams">
        {team !== null && (
          <Menu
            trigger={
              <ChipButton icon={Users} aria-label={`Team: ${team.name}`} className="max-w-60">
                <span className="truncate">{team.name}</span>
                {team.endedAt !== null && <span className="text-fg-2">ended</span>}
                <ChevronDown size={12} aria-hidden="true" />
              </ChipButton>
            }
          >
            <MenuChoice
              value={team.id}
              onChange={chooseTeam}
              options={teams.map((one) => ({
                value: one.id,
                label: one.name,
                hint: one.endedAt === null ? count(one.members.length, 'worker') : 'ended',
              }))}
            />
          </Menu>
        )}
        {team !== null && (
          <Segmented
            label="Shown mailboxes"
            value={scope}
            options={[
              { value: 'team', label: 'Team' },
              { value: 'all', label: `All mailboxes · ${mailboxes}` },
            ]}
            onChange={(next) => useTeams.setState({ scope: next, thread: null, to: undefined })}
          />
        )}
        <NatsConnection />
        <span className="flex-1" />
        {canEnd && (
          <>
            <Button onClick={() => showTeamDialog({ kind: 'add-worker' })}>
              <Plus size={13} aria-hidden="true" /> Add a worker…
            </Button>
            <Button variant="quiet" onClick={() => showTeamDialog({ kind: 'end' })}>
              End the team…
            </Button>
          </>
        )}
      </ViewHeader>
      <NatsProblem />
      {team !== null && <StuckLine team={team} readOnly={readOnly} />}
    </section>
  )
}

/** Why the team does not advance, and the button that gets it going. Nothing while it advances. */
function StuckLine({ team, readOnly }: { readonly team: Team; readonly readOnly: boolean }) {
  const stuck = useStuck(team)
  const [busy, setBusy] = useState(false)
  const text = stuckSentence(stuck, useConversation.getState().agents)
  if (text === '') return null
  const resume = async () => {
    setBusy(true)
    await resumeStuckTeam(team.id)
    setBusy(false)
  }
  return (
    <div className="flex min-h-9 items-center gap-2.5 border-line border-b bg-bad/8 px-3 py-1 text-fg-0 text-sm">
      <CircleAlert size={14} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-bad" />
      <p role="status" data-selectable="" className="min-w-0 text-pretty wrap-anywhere">
        {text}
      </p>
      <span className="flex-1" />
      {!readOnly && (
        <Button
          title="Resumes the agents that hold tasks, releases tasks whose agents can’t continue, and asks the leader about the rest."
          disabled={busy}
          focusableWhenDisabled
          onClick={() => void resume()}
        >
          <Play size={12} aria-hidden="true" /> Resume
        </Button>
      )}
    </div>
  )
}

/** The server and the machines that work. A problem has a line of its own (see `NatsProblem`). */
function NatsConnection() {
  const { nats, workers } = useWorkers((state) => state.state)
  const text = natsText(nats, workers)
  if (text === null) return null
  return (
    <span
      role="status"
      title={text}
      className={classNames('min-w-0 truncate text-xs', nats.kind === 'failed' ? 'text-bad' : 'text-fg-2')}
    >
      <span
        aria-hidden="true"
        className={classNames(
          'mr-1.5 inline-block size-1.5 rounded-full align-middle',
          nats.kind === 'connected' ? 'bg-ok' : nats.kind === 'failed' ? 'bg-bad' : 'bg-fg-3',
        )}
      />
      {text}
    </span>
  )
}

/** What is wrong with the connection, and what to do. Nothing while it works. */
function NatsProblem() {
  const nats = useWorkers(({ state }) => state.nats)
  if (nats.kind !== 'failed') return null
  return (
    <p
      role="alert"
      data-selectable=""
      className="shrink-0 border-line border-b bg-bad/8 px-3 py-1.5 text-bad text-sm"
    >
      {nats.message}
    </p>
  )
}

/** Null: no server is set up. */
function natsText(nats: NatsState, workers: WorkersState['workers']): string | null {
  switch (nats.kind) {
    case 'off':
      return null
    case 'connecting':
      return `Connecting to ${nats.url}…`
    case 'connected': {
      const machines = new Set(workers.filter(({ kind }) => kind === 'remote').map(({ host }) => host)).size
      return `${nats.url} · ${nats.tls ? 'TLS' : 'no TLS'} · ${count(machines, 'machine')}`
    }
    case 'failed':
      return `${nats.url} · not connected`
  }
}
