/** The completions of the word at the caret: the options and the active one. */

import { useEffect, useMemo, useState } from 'react'
import { create } from 'zustand'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import type { SlashCommand } from '../../../shared/slash/slash-command.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useMcp } from '../../stores/mcp-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { loadModels, modelChoices, useModels } from '../../stores/settings-store.ts'
import { displayName } from '../../ui/text/agent-text.ts'
import { commandsOf } from '../../ui/text/external-agent-text.ts'
import {
  agentCompletions,
  argumentOptions,
  type CompletionOption,
  type CompletionQuery,
  commandOptions,
  fileOptions,
  mentionOptions,
  type ProgramCommands,
  queryAt,
} from './completion-options.ts'

export interface Completion {
  readonly query: CompletionQuery | null
  readonly options: readonly CompletionOption[]
  readonly active: number
  /** The text instead of the list when nothing matches. */
  readonly note: string | null
  move(step: 1 | -1): void
  choose(index: number): void
  /** Hides the list until the caret enters another word. */
  dismiss(): void
}

/** Pause in the typing before files are searched. In ms. */
const SEARCH_DELAY = 80

/** `recipientId`: the agent that gets the message; null: the main agent. */
export function useCompletion(text: string, caret: number, recipientId: string | null): Completion {
  const found = useMemo(() => queryAt(text, caret), [text, caret])
  const [dismissed, setDismissed] = useState<string | null>(null)
  const word = found === null ? null : `${found.kind}:${found.from}`
  const query = word === dismissed ? null : found
  const files = useFiles(query)
  const options = useOptions(query, files, recipientId)
  const commands = useSlash((state) => state.commands)
  const [choice, setChoice] = useState({ for: '', index: 0 })
  const listKey = `${word} ${query?.query}`
  const active = choice.for === listKey ? Math.min(choice.index, options.length - 1) : 0
  if (found === null && dismissed !== null) setDismissed(null)
  return {
    query,
    options,
    active,
    note: query !== null && options.length === 0 ? noteFor(query, files !== null, commands) : null,
    move: (step) =>
      setChoice({ for: listKey, index: (active + step + options.length) % Math.max(1, options.length) }),
    choose: (index) => setChoice({ for: listKey, index }),
    dismiss: () => setDismissed(word),
  }
}

/** The files of the folder that match; null until the first answer. */
function useFiles(query: CompletionQuery | null): readonly string[] | null {
  const folder = useSession((state) => state.folder?.path)
  const wanted = query?.kind === 'file' || query?.kind === 'mention' ? query.query : null
  const [answer, setAnswer] = useState<{ query: string; files: readonly string[] } | null>(null)
  useEffect(() => {
    if (wanted === null || folder === undefined) return
    let stale = false
    const timer = setTimeout(async () => {
      const found = await command('folder.files', { path: folder, query: wanted.slice(0, 200) })
      if (!stale) setAnswer({ query: wanted, files: found.ok ? found.value : [] })
    }, SEARCH_DELAY)
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [wanted, folder])
  // The previous list stays until the next one arrives, so that typing does not flicker.
  return wanted === null ? null : (answer?.files ?? null)
}

const NO_TEAMS: readonly Team[] = []
const NO_SERVERS: readonly McpServerState[] = []

function useOptions(
  query: CompletionQuery | null,
  files: readonly string[] | null,
  recipientId: string | null,
): readonly CompletionOption[] {
  const kind = query?.kind
  const agents = useConversation((state) => (kind === 'mention' ? state.agents : null))
  const teams = useConversation((state) => state.record?.teams ?? NO_TEAMS)
  const definitions = useSession((state) => state.definitions)
  const servers = useMcp((state) => state.state?.servers ?? NO_SERVERS)
  const aliases = useSession((state) => state.settings.modelAliases)
  const bypassAllowed = useSession((state) => state.folder?.bypassAllowed === true)
  const models = useModels((state) => state.models)
  const commands = useSlash((state) => state.commands)
  const program = useProgramCommands(recipientId)
  const wantsCommands = kind === 'command' || kind === 'argument'
  useEffect(() => {
    if (wantsCommands) void loadSlash()
  }, [wantsCommands])
  const wantsModels = kind === 'argument' && query?.command === 'model'
  useEffect(() => {
    if (wantsModels) void loadModels()
  }, [wantsModels])
  return useMemo(() => {
    if (query === null) return []
    switch (query.kind) {
      case 'mention': {
        const sources = { agents: agents ?? new Map(), teams, definitions, servers }
        return mentionOptions(query, agentCompletions(query, sources), files ?? [])
      }
      case 'file':
        return fileOptions(files ?? [])
      case 'command':
        return commandOptions(query, commands, program)
      case 'argument':
        if (program.commands.some(({ name }) => name === query.command)) return []
        return argumentOptions(query, { models: modelChoices(models, aliases, 'sonnet'), bypassAllowed })
    }
  }, [query, agents, teams, definitions, servers, files, commands, program, models, aliases, bypassAllowed])
}

/** The commands of the recipient's external agent. */
function useProgramCommands(recipientId: string | null): ProgramCommands {
  const recipient = useConversation(({ agents, record }) =>
    agents.get(recipientId ?? record?.mainAgentId ?? ''),
  )
  const commands = commandsOf(recipient)
  const name = recipient === undefined ? '' : displayName(recipient)
  return useMemo(() => ({ commands, name, isMain: recipientId === null }), [commands, name, recipientId])
}

function noteFor(
  query: CompletionQuery,
  searched: boolean,
  commands: readonly SlashCommand[],
): string | null {
  if (query.kind === 'mention' && query.query !== '')
    return searched ? `No agent or file matches “${query.query}”.` : null
  if (query.kind === 'file') return searched ? `No file matches “${query.query}”.` : null
  if (query.kind === 'command') return `Unknown command /${query.query}. Enter shows how to send it as text.`
  if (query.kind !== 'argument') return null
  const { name, argumentHint = '' } = commands.find((one) => one.name === query.command) ?? {}
  return argumentHint === '' ? null : `/${name} ${argumentHint}`
}

interface SlashStore {
  /** The folder that the commands belong to. */
  readonly folder: string | null
  readonly commands: readonly SlashCommand[]
}

const NONE: SlashStore = { folder: null, commands: [] }

/** The commands of the open folder: command files, skills and prompts of MCP servers. */
const useSlash = create<SlashStore>()(() => NONE)

/** Reads the commands of the open folder again. The earlier list stays until the answer, unless the folder changed. */
async function loadSlash(): Promise<readonly SlashCommand[]> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) {
    useSlash.setState(NONE)
    return []
  }
  if (useSlash.getState().folder !== folder) useSlash.setState({ folder, commands: [] })
  const answer = await command('slash.list', { folder })
  if (!answer.ok || useSession.getState().folder?.path !== folder) return []
  useSlash.setState({ folder, commands: answer.value })
  return answer.value
}
