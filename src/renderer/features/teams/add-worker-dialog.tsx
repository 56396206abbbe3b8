/** Adds a worker to a team: its name, agent type, prompt, and where it runs. */
import { useState } from 'react'
import { type MemberBacking, memberBackings } from '../../../shared/teams/team.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import type { NatsState } from '../../../shared/workers/worker-presence.ts'
import { useDialogCommand } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { addMember, useWorkers } from '../../stores/teams-and-workers.ts'
import { FormDialog, FormFailure } from '../../ui/form-dialog.tsx'
import { SelectMenu } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { writeInTeam } from './teams-store.ts'

const LABELS: Readonly<Record<MemberBacking, string>> = {
  'in-process': 'This program',
  pane: 'Own process',
  remote: 'Another machine',
}

const MEANINGS: Readonly<Record<MemberBacking, string>> = {
  'in-process': 'It runs inside this program and ends with it.',
  pane: 'It runs in a process of its own on this machine and goes on when the window closes.',
  remote: 'It runs on the first free machine that takes jobs from the NATS server, in a checkout of its own.',
}

interface AddWorkerDialogProps {
  readonly team: Team
  readonly onClose: () => void
}

export function AddWorkerDialog({ team, onClose }: AddWorkerDialogProps) {
  const definitions = useSession((state) => state.definitions)
  const offered = definitions.filter(({ hidden }) => !hidden)
  const problem = useRemoteProblem()
  const [name, setName] = useState('')
  const [agent, setAgent] = useState(
    (offered.find(({ name }) => name === 'general-purpose') ?? offered[0])?.name ?? 'general-purpose',
  )
  const [prompt, setPrompt] = useState('')
  const [backing, setBacking] = useState<MemberBacking>('in-process')
  const { busy, failure, run } = useDialogCommand()
  const nameProblem = problemOfName(name.trim(), team)
  const isBlocked = backing === 'remote' && problem !== null
  const isReady = name.trim() !== '' && prompt.trim() !== '' && nameProblem === null && !isBlocked
  const add = async () => {
    const answer = await run(() => addMember({ teamId: team.id, name: name.trim(), agent, prompt, backing }))
    if (!answer?.ok) return
    writeInTeam(answer.value.agentId)
    onClose()
  }
  return (
    <FormDialog
      onClose={onClose}
      width={540}
      title={`Add a worker to ${team.name}`}
      label="Add worker"
      isReady={isReady}
      busy={busy}
      onSubmit={() => void add()}
    >
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-3">
        <TextField
          label="Name"
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="api-builder"
          error={nameProblem}
        />
        <div className="flex flex-col gap-1">
          <span className="text-fg-1 text-sm">Agent type</span>
          <SelectMenu
            label="Agent type"
            value={agent}
            onChange={setAgent}
            options={offered.map((definition) => ({
              value: definition.name,
              label: definition.name,
              hint: definition.description,
            }))}
          />
        </div>
      </div>
      <TextArea
        label="Prompt"
        value={prompt}
        onChange={(event) => setPrompt(event.target.value)}
        placeholder="What it should do. It does not see this conversation."
      />
      <div className="flex flex-col items-start gap-1">
        <span className="text-fg-1 text-sm">Where it runs</span>
        <Segmented
          label="Where it runs"
          size="md"
          value={backing}
          options={memberBackings.map((value) => ({ value, label: LABELS[value] }))}
          onChange={setBacking}
        />
        <p role="status" className={isBlocked ? 'text-bad text-sm' : 'text-fg-2 text-sm'}>
          {isBlocked ? problem : MEANINGS[backing]}
        </p>
      </div>
      <FormFailure message={failure?.message ?? null} />
    </FormDialog>
  )
}

/** Null: the name can be taken, or nothing is typed yet. The program checks the names of the other agents. */
function problemOfName(name: string, team: Team): string | null {
  if (name === '') return null
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name))
    return 'Letters, digits, dots and dashes only, and a letter or a digit first.'
  if (/^(?:main|parent|leader|all|user)$/i.test(name))
    return `“${name}” has a meaning of its own in messages.`
  const taken = team.members.some((member) => member.name.toLowerCase() === name.toLowerCase())
  return taken ? `The team has a ${name} already.` : null
}

/** Why no worker can run on another machine; null: one can. */
function useRemoteProblem(): string | null {
  const nats = useWorkers(({ state }) => state.nats)
  const machines = useWorkers(({ state }) => state.workers.filter(({ kind }) => kind === 'remote').length)
  return remoteProblem(nats, machines)
}

function remoteProblem(nats: NatsState, machines: number): string | null {
  switch (nats.kind) {
    case 'off':
      return 'No NATS server is set up. Enter its address in Settings, and start “troupe worker” on the other machine.'
    case 'connecting':
      return `The connection to ${nats.url} is not made yet.`
    case 'failed':
      return nats.message
    case 'connected':
      return machines > 0
        ? null
        : 'No worker is connected to the NATS server. Start “troupe worker” on the other machine.'
  }
}
