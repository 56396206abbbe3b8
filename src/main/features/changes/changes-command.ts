/** `troupe changes list`, `revert` and `redo`: what agents changed, and its undo, without a window. */
import { isAbsolute, resolve } from 'node:path'
import type {
  ChangesList,
  ConflictChoice,
  ListedCall,
  PreviewedFile,
  UndoOutcome,
  UndoPreview,
  UndoScope,
} from '../../../shared/changes/changes.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { EXIT, isYes, jsonLine, oneLine, type Spoken } from '../../platform/command-line/terminal.ts'
import type { Changes, ConflictChoices } from '../../runtime/ports/changes.ts'

export interface ChangesContext extends Spoken {
  readonly changes: Changes
  /** For relative paths that the list does not print. */
  readonly cwd: string
}

interface Target {
  /** A conversation's id. */
  readonly id: string
  readonly json: boolean
}

interface ListChanges extends Target {
  readonly verb: 'changes-list'
}

interface RevertChanges extends Target {
  readonly verb: 'changes-revert'
  /** An agent's id or name. Null: all agents. */
  readonly agent: string | null
  /** A path, as the list prints it or absolute. Null: all files. */
  readonly file: string | null
  /** The number of a message in the list. Null: since the start. */
  readonly to: number | null
  /** Where later changes overlap. Null: leave the file. */
  readonly conflicts: ConflictChoice | null
  /** Does not ask. */
  readonly yes: boolean
}

interface RedoChanges extends Target, Pick<RevertChanges, 'conflicts' | 'yes'> {
  readonly verb: 'changes-redo'
}

/** The values of `troupe changes …`. */
export type ChangesCommand = ListChanges | RevertChanges | RedoChanges

/** @returns the exit code */
export async function changesCommand(command: ChangesCommand, context: ChangesContext): Promise<number> {
  const { changes, output, errors } = context
  const done = await perform(command, context)
  if (done.ok) return done.value
  if (command.json)
    output.write(jsonLine({ failure: { type: done.failure.type, message: done.failure.message } }))
  errors.write(`troupe: ${done.failure.message}\n`)
  return EXIT.failed

  async function perform({ id, json }: ChangesCommand, { cwd }: ChangesContext): Promise<Result<number>> {
    const list = await changes.list({ conversationId: id })
    if (!list.ok) return list
    if (command.verb === 'changes-list') {
      output.write(json ? jsonLine(list.value) : listText(list.value))
      return ok(EXIT.done)
    }
    if (command.verb === 'changes-redo') return apply(command, { kind: 'redo' }, context)
    const scope = scopeOf(command, list.value, cwd)
    return scope.ok ? apply(command, scope.value, context) : scope
  }
}

type Wanted = UndoScope | { readonly kind: 'redo' }

async function apply(
  { id, json, yes, conflicts }: RevertChanges | RedoChanges,
  wanted: Wanted,
  { changes, output, ask }: ChangesContext,
): Promise<Result<number>> {
  const look = (choices: ConflictChoices) =>
    wanted.kind === 'redo'
      ? changes.previewRedo({ conversationId: id, choices })
      : changes.preview({ conversationId: id, scope: wanted, choices })
  const first = await look({})
  if (!first.ok) return first
  const choices = Object.fromEntries(
    first.value.files.flatMap(({ path, conflict }) => (conflict ? [[path, conflicts ?? 'leave']] : [])),
  )
  const preview = await look(choices)
  if (!preview.ok) return preview
  if (!json) output.write(previewText(preview.value))
  if (!yes) {
    if (ask === null || json) return fail(unconfirmed)
    const answer = await ask('Do this? [y/N] ')
    if (!isYes(answer)) return fail(refused)
  }
  const { version } = preview.value
  const done =
    wanted.kind === 'redo'
      ? await changes.redo({ conversationId: id, version, choices })
      : await changes.undo({ conversationId: id, scope: wanted, version, choices, continues: true })
  if (!done.ok) return done
  output.write(json ? jsonLine(done.value) : outcomeText(id, done.value))
  return ok(done.value.left.length === 0 ? EXIT.done : EXIT.failed)
}

const unconfirmed = {
  type: 'confirm',
  message: 'Nothing was changed: no user can confirm it here. Add --yes.',
} as const
const refused = { type: 'refused', message: 'Nothing was changed.' } as const

function scopeOf(
  { agent, file, to }: RevertChanges,
  { agents, calls, messages }: ChangesList,
  cwd: string,
): Result<UndoScope> {
  if (to !== null) {
    const message = messages[to - 1]
    return message
      ? ok({ kind: 'message', seq: message.seq })
      : fail({
          type: 'not-found',
          message: `There is no message ${to}: the conversation has ${messages.length}.`,
        })
  }
  const named = agents.filter(({ agentId, name, sharedName }) =>
    [agentId, name, sharedName].includes(agent ?? ''),
  )
  const [found, other] = named
  if (agent !== null && found === undefined)
    return fail({ type: 'not-found', message: `No agent "${oneLine(agent)}" changed files here.` })
  if (other !== undefined)
    return fail({
      type: 'several',
      message: `Several agents are named "${oneLine(agent ?? '')}". Give an id: ${named.map(({ agentId }) => agentId).join(', ')}.`,
    })
  const agentId = found?.agentId ?? null
  if (file === null) return ok(agentId === null ? { kind: 'all' } : { kind: 'agent', agentId })
  const absolute = isAbsolute(file) ? file : resolve(cwd, file)
  const changed = calls
    .flatMap(({ files }) => files)
    .find(({ path, shown }) => shown === file || path === absolute)
  return changed
    ? ok({ kind: 'file', path: changed.path, agentId })
    : fail({ type: 'not-found', message: `No agent changed ${oneLine(file)} in this conversation.` })
}

// ---- text ---------------------------------------------------------------------------------------

function listText({ conversationId, agents, calls, messages, user, redo }: ChangesList): string {
  const lines: string[] = []
  const nameOf = (id: string) => agents.find(({ agentId }) => agentId === id)?.name ?? id
  messages.forEach((message, index) => {
    lines.push(`${index + 1}. ${timeOf(message.at)}  ${message.text}`)
    for (const call of calls.filter(({ messageSeq }) => messageSeq === message.seq))
      lines.push(...callLines(call, nameOf))
  })
  for (const call of calls.filter(({ messageSeq }) => messageSeq === null))
    lines.push(...callLines(call, nameOf))
  if (calls.length === 0) lines.push('No agent changed a file in this conversation.')
  if (user.length > 0) lines.push('Changed by you, never undone:')
  for (const { letter, shown } of user) lines.push(`     ${letter} ${shown}`)
  if (redo)
    lines.push(`The undo of ${timeOf(redo.at)} can be taken back: troupe changes redo ${conversationId}`)
  return printed(lines)
}

function callLines(
  { agentId, label, files, ignored, note }: ListedCall,
  nameOf: (id: string) => string,
): readonly string[] {
  const facts = [ignored > 0 ? `${ignored} other files changed, not kept` : '', note]
  const head = `   ${nameOf(agentId)} (${agentId})  ${label}`
  const rows = files.map(({ letter, shown, renamedFrom, added, removed, undone, alsoBy, cannot }) => {
    const counts = added === null || removed === null ? '' : `  +${added} -${removed}`
    const marks = [
      undone ? 'undone' : '',
      alsoBy.length > 0 ? `also ${alsoBy.map(nameOf).join(', ')}` : '',
      cannot === null ? '' : `can’t be undone: ${cannot}`,
    ].filter((mark) => mark !== '')
    const from = renamedFrom === null ? '' : ` (from ${renamedFrom})`
    return `     ${letter} ${shown}${from}${counts}${marks.length > 0 ? `  [${marks.join('; ')}]` : ''}`
  })
  return [head, ...rows, ...facts.filter((fact) => fact !== '').map((fact) => `     ${fact}`)]
}

const ACTIONS: Readonly<Record<PreviewedFile['action'], string>> = {
  restored: 'goes back',
  deleted: 'is deleted',
  recreated: 'comes back',
  merged: 'is merged',
  choose: 'conflict',
  unchanged: 'stays as it is',
  impossible: 'can’t be undone',
}

function previewText({ files, notUndone, messages, stops }: UndoPreview): string {
  return printed([
    ...files.map(
      ({ shown, action, reason, conflict }) =>
        `${shown}: ${ACTIONS[action]}${conflict ? ` (${conflict.choice})` : ''}. ${reason}`,
    ),
    ...notUndone.map(({ label, reason }) => `${label}: not all is undone. ${reason}`),
    ...(messages > 0 ? [`A new conversation leaves out ${messages} of your messages; this one stays.`] : []),
    ...stops.map(({ name, agentId }) => `${name} (${agentId}) is stopped.`),
  ])
}

function outcomeText(id: string, { restored, merged, deleted, left, conversationId }: UndoOutcome): string {
  const counts = [`${restored} restored`, `${merged} merged`, `${deleted} deleted`].join(', ')
  return printed([
    `Files: ${counts}. To take this back: troupe changes redo ${id}`,
    ...left.map(({ shown, reason }) => `Not changed: ${shown}: ${reason}`),
    ...(conversationId === null ? [] : [`Continue from there: troupe run --resume ${conversationId} "…"`]),
  ])
}

const printed = (lines: readonly string[]): string => lines.map((line) => `${oneLine(line)}\n`).join('')

const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
