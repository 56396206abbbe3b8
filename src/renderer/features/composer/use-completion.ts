/** The list that completes the word at the caret: what is in it, and which entry is chosen. */
import { useEffect, useMemo, useState } from 'react'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { DefinitionInfo } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { agentWords } from '../../stores/agent-words.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { loadModels, modelChoices, useModels } from '../../stores/model-store.ts'
import { PERMISSION_MODES } from '../../stores/permission-modes.ts'
import { useSession } from '../../stores/session-store.ts'
import { type CompletionQuery, queryAt, rankByName } from './completions.ts'
import { SLASH_COMMANDS, type SlashCommandName } from './slash-commands.ts'

/** What choosing an entry does. */
export type CompletionEffect =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'recipient'; readonly agentId: string }
  | { readonly kind: 'run'; readonly name: SlashCommandName; readonly argument: string }

export interface CompletionOption {
  readonly key: string
  readonly label: string
  readonly hint: string
  /** The colour of its mark; null: no mark. */
  readonly color: string | null
  readonly live: boolean
  readonly mono: boolean
  readonly effect: CompletionEffect
}

export interface Completion {
  readonly query: CompletionQuery | null
  readonly options: readonly CompletionOption[]
  readonly active: number
  /** Words where the list would be, when nothing fits. */
  readonly note: string | null
  move(by: 1 | -1): void
  choose(index: number): void
  /** Hides the list until another word is begun. */
  dismiss(): void
}

const SHOWN = 12
const FILE_WAIT = 80

export function useCompletion(text: string, caret: number): Completion {
  const found = useMemo(() => queryAt(text, caret), [text, caret])
  const [dismissed, setDismissed] = useState<string | null>(null)
  const place = found === null ? null : `${found.kind}:${found.from}`
  const query = place === dismissed ? null : found
  const files = useFiles(query)
  const options = useOptions(query, files)
  const [choice, setChoice] = useState({ for: '', index: 0 })
  const listKey = `${place} ${query?.query}`
  const active = choice.for === listKey ? Math.min(choice.index, options.length - 1) : 0
  if (found === null && dismissed !== null) setDismissed(null)
  return {
    query,
    options,
    active,
    note: query !== null && options.length === 0 ? noteFor(query, files === null) : null,
    move: (by) =>
      setChoice({ for: listKey, index: (active + by + options.length) % Math.max(1, options.length) }),
    choose: (index) => setChoice({ for: listKey, index }),
    dismiss: () => setDismissed(place),
  }
}

/** The folder's files that fit; null while they are looked for. */
function useFiles(query: CompletionQuery | null): readonly string[] | null {
  const folder = useSession((state) => state.folder?.path)
  const wanted = query?.kind === 'file' ? query.query : null
  const [answer, setAnswer] = useState<{ query: string; files: readonly string[] } | null>(null)
  useEffect(() => {
    if (wanted === null || folder === undefined) return
    let stale = false
    const timer = setTimeout(async () => {
      const found = await command('folder.files', { path: folder, query: wanted.slice(0, 200) })
      if (!stale) setAnswer({ query: wanted, files: found.ok ? found.value : [] })
    }, FILE_WAIT)
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [wanted, folder])
  // The list before stays until the next one is there: no flicker with every letter.
  return wanted === null ? null : (answer?.files ?? null)
}

function useOptions(
  query: CompletionQuery | null,
  files: readonly string[] | null,
): readonly CompletionOption[] {
  const kind = query?.kind
  const agents = useConversation((state) => (kind === 'agent' ? state.agents : null))
  const definitions = useSession((state) => state.definitions)
  const aliases = useSession((state) => state.settings.modelAliases)
  const bypassAllowed = useSession((state) => state.folder?.bypassAllowed === true)
  const models = useModels((state) => state.models)
  const wantsModels = kind === 'argument' && query?.command === 'model'
  useEffect(() => {
    if (wantsModels) void loadModels()
  }, [wantsModels])
  return useMemo(() => {
    if (query === null) return []
    switch (query.kind) {
      case 'agent':
        return agentOptions(query, agents ?? new Map(), definitions)
      case 'file':
        return (files ?? [])
          .slice(0, SHOWN)
          .map((path) => plain(path, '', { kind: 'insert', text: quoted(path) }, true))
      case 'command':
        return rankByName(SLASH_COMMANDS, query.query, (command) => command.name).map((command) =>
          plain(
            `/${command.name}`,
            command.hint,
            'argument' in command
              ? { kind: 'insert', text: `/${command.name}` }
              : { kind: 'run', name: command.name, argument: '' },
            true,
          ),
        )
      case 'argument':
        return argumentOptions(query, modelChoices(models, aliases, 'sonnet'), bypassAllowed)
    }
  }, [query, agents, definitions, files, models, aliases, bypassAllowed])
}

/**
 * Agents of this conversation can be spoken to where the message begins, those that have ended go on then;
 * further on, and for definitions, it is only a name.
 */
function agentOptions(
  query: CompletionQuery,
  agents: ReadonlyMap<string, AgentState>,
  definitions: readonly DefinitionInfo[],
): readonly CompletionOption[] {
  const children = [...agents.values()].filter((agent) => agent.parentId !== null)
  const option = (agent: AgentState): CompletionOption => ({
    key: agent.id,
    label: agent.definition.name,
    hint: `${agent.task} · ${agentWords(agent)}`,
    color: agent.definition.color,
    live: agent.endedAt === null,
    mono: false,
    effect:
      query.from === 0
        ? { kind: 'recipient', agentId: agent.id }
        : { kind: 'insert', text: `@${agent.definition.name}` },
  })
  const named = (list: readonly AgentState[]) =>
    rankByName(list, query.query, (agent) => agent.definition.name).map(option)
  const known = rankByName(
    definitions.filter((definition) => !definition.hidden),
    query.query,
    (definition) => definition.name,
  ).map(
    (definition): CompletionOption => ({
      key: `definition:${definition.source}:${definition.name}`,
      label: definition.name,
      hint: definition.description,
      color: definition.color,
      live: false,
      mono: false,
      effect: { kind: 'insert', text: `@${definition.name}` },
    }),
  )
  const ended = children.filter((agent) => agent.endedAt !== null && !agent.definition.oneShot)
  return [
    ...named(children.filter((agent) => agent.endedAt === null)),
    ...known,
    ...(query.from === 0 ? named(ended) : []),
  ].slice(0, SHOWN)
}

function argumentOptions(
  query: CompletionQuery,
  models: readonly { value: string; label: string; hint: string }[],
  bypassAllowed: boolean,
): readonly CompletionOption[] {
  const choices =
    query.command === 'model'
      ? models
      : query.command === 'mode'
        ? PERMISSION_MODES.filter((mode) => bypassAllowed || mode.value !== 'bypassPermissions')
        : []
  return rankByName(choices, query.query, (choice) => `${choice.value} ${choice.label}`)
    .slice(0, SHOWN)
    .map((choice) =>
      plain(choice.label, choice.hint, {
        kind: 'run',
        name: query.command === 'model' ? 'model' : 'mode',
        argument: choice.value,
      }),
    )
}

function plain(label: string, hint: string, effect: CompletionEffect, mono = false): CompletionOption {
  return { key: label, label, hint, color: null, live: false, mono, effect }
}

function noteFor(query: CompletionQuery, looking: boolean): string | null {
  if (query.kind === 'file') return looking ? null : `No file fits “${query.query}”.`
  if (query.kind === 'command') return `There is no command /${query.query}.`
  return null
}

/** A path with spaces in quotes, so that it is seen where it ends. */
export function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path
}
