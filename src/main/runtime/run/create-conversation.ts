/** Creates a conversation: its record, its log and its main agent. */

import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { Commands } from '../../../shared/ipc/ipc-contract.ts'
import type { InputOf } from '../../../shared/kernel/command.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { plainMode } from '../../../shared/permissions/permission-modes.ts'
import { changedLimits } from '../../../shared/state/spending.ts'
import { COORDINATOR, noTeams } from '../../../shared/teams/team.ts'
import { findDefinition } from '../agent/find-definition.ts'
import { sessionStarts } from '../agent/interception-points.ts'
import { loadFolderCatalog } from '../agent/spawn-context.ts'
import { type Assembly, Conversation } from '../conversation/conversation.ts'
import type { ConversationDefaults } from '../ports/ports.ts'
import type { Trial } from '../ports/runtime.ts'
import { bypassRefused } from './control.ts'
import type { OpenConversations } from './open-conversations.ts'
import { spawnMain } from './spawn-main.ts'

/** A new conversation as the user wants it. What is missing is as the settings say. */
type Wanted = Omit<InputOf<Commands['conversation.create']>, 'message'> & Partial<Trial>

/** The choices of a new conversation. `agent`: null: the program's own main agent. */
type Chosen = ReturnType<typeof chosenOf>

function chosenOf({ agent, ...wanted }: Wanted, usual: ConversationDefaults) {
  const coordinator = wanted.coordinator ?? usual.coordinator
  const isFree = agent === undefined && !coordinator && !usual.rehearsal && wanted.definition === undefined
  return {
    definition: wanted.definition ?? null,
    test: wanted.test ?? null,
    folder: wanted.folder,
    model: wanted.model ?? usual.model,
    /** The model of an agent that was chosen counts before that of the settings. */
    prefersOwnModel: wanted.model === undefined,
    effort: wanted.effort === undefined ? usual.effort : wanted.effort,
    thinking: wanted.thinking === undefined ? usual.thinking : wanted.thinking,
    permissionMode: wanted.permissionMode ?? usual.permissionMode,
    rehearsal: usual.rehearsal,
    maxTurns: wanted.maxTurns ?? null,
    agent: isFree ? usual.mainAgent : (agent ?? null),
    isAgentOfSettings: isFree,
    coordinator,
    limits: wanted.limits ?? {},
  }
}

/** Fails with `folder-gone`, `not-allowed` or `unknown-agent`, or if the store or the worktree fails. */
export async function createConversation(
  wanted: Wanted,
  conversations: OpenConversations,
  deps: Assembly,
): Promise<Result<Conversation>> {
  const { ports } = deps
  const options = chosenOf(wanted, ports.policy.defaults(wanted.folder))
  const folder = await ports.files.realPath(options.folder)
  if (!folder.ok) return folder
  const stat = await ports.files.stat(folder.value)
  if (!stat.ok || stat.value.kind !== 'folder')
    return fail({
      type: 'folder-gone',
      message: `${options.folder} is not a readable folder. Choose another.`,
    })
  if (options.permissionMode === 'bypassPermissions' && !ports.policy.bypassAllowed(folder.value))
    return fail(bypassRefused)
  const catalog = await loadFolderCatalog(folder.value, ports)
  const definition = options.definition
    ? ok(options.definition)
    : findDefinition(catalog, options.agent ?? (isCoordinator(options) ? COORDINATOR : 'main'))
  if (!definition.ok) return options.isAgentOfSettings ? fail(notInSettings(definition.failure)) : definition
  if (definition.value.program !== undefined && !ports.policy.trusted(folder.value))
    return fail(notTrusted(definition.value.name, folder.value))
  const own = definition.value.model
  const model = options.agent !== null && options.prefersOwnModel && own !== 'inherit' ? own : options.model
  const rehearsal = options.rehearsal || ports.models.facts(ports.models.resolve(model)).free === true

  const log = await ports.store.open(newRecord({ ...options, rehearsal }, folder.value, deps))
  if (!log.ok) return log
  const conversation = new Conversation(log.value, deps, [])
  conversations.add(conversation)
  const spawned = await spawnMain(conversation, {
    definition: definition.value,
    catalog,
    model,
    effort: options.effort,
    thinking: options.thinking,
    maxTurns: options.maxTurns,
    mode: plainMode(options.permissionMode),
    test: options.test,
  })
  if (!spawned.ok) {
    await conversations.discard(conversation)
    return spawned
  }
  await sessionStarts(conversation, { isResumed: false })
  return ok(conversation)
}

/** An external agent can't be confined. */
const notTrusted = (name: string, folder: string) => ({
  type: 'not-allowed',
  message: `${name} is an external agent, which starts only in folders that you trust. Trust ${folder} first.`,
})

/** An agent that the user chose for the conversation keeps its own prompt and tools. */
const isCoordinator = ({ coordinator, agent, definition }: Chosen): boolean =>
  coordinator && agent === null && definition === null

const notInSettings = ({ type, message }: Failure): Failure =>
  type === 'unknown-agent' ? { type, message: `${message} ${CHOSEN}` } : { type, message }

const CHOSEN =
  'The settings name it as the main agent of new conversations (mainAgent); choose another one there.'

/** A definition that is tried out gives the conversation its title and makes it a scratch conversation. */
function newRecord(
  options: Chosen,
  folder: string,
  { ports: { clock, ids, policy } }: Assembly,
): ConversationRecord {
  const { definition: tried, test, rehearsal, limits } = options
  const now = clock.now()
  const mainAgentId = ids.next('a')
  return {
    v: 1,
    id: ids.next('c'),
    folder,
    title: test?.title ?? (tried ? `Try: ${tried.name}` : ''),
    named: tried !== null,
    mainAgentId,
    agentIds: [mainAgentId],
    createdAt: now,
    updatedAt: now,
    rehearsal,
    scratch: tried !== null,
    ...(test && { test: true as const }),
    pinned: false,
    archived: false,
    queued: [],
    limits: Object.keys(limits).length === 0 ? null : changedLimits(policy.limits.conversation, limits),
    ...noTeams,
    coordinator: isCoordinator(options),
    outcome: null,
  }
}
