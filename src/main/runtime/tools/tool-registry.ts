/** All tools of a runtime: the built-in ones, and those of sources that come and go while it runs. */

import type { SkillSource } from '../ports/definitions.ts'
import type { DocumentReader, WebPages } from '../ports/documents.ts'
import type { FileSearch, FileSystem } from '../ports/files.ts'
import type { Clock, Policy } from '../ports/ports.ts'
import type { Shell } from '../ports/shell.ts'
import { type AnyTool, toolError } from '../ports/tool.ts'
import { type AgentToolDeps, createAgentTool } from './agent.ts'
import { createAskUserQuestionTool } from './ask-user-question.ts'
import { type BashDeps, createBashTool } from './bash.ts'
import { createExitPlanModeTool, type ExitPlanModeDeps } from './exit-plan-mode.ts'
import { createEditTool } from './files/edit.ts'
import { createGlobTool } from './files/glob.ts'
import { createGrepTool } from './files/grep.ts'
import { createNotebookEditTool } from './files/notebook-edit.ts'
import { createReadTool } from './files/read.ts'
import { createWriteTool } from './files/write.ts'
import { createMergeWorktreeTool, type MergeWorktreeDeps } from './merge-worktree.ts'
import { createSendMessageTool, type SendMessageDeps } from './send-message.ts'
import { createSetPhaseTool, type SetPhaseDeps } from './set-phase.ts'
import { createSkillTool, type SkillActions } from './skill.ts'
import { createTaskCreateTool, type TaskCreateDeps } from './task-create.ts'
import { createTaskListTool, type TaskListDeps } from './task-list.ts'
import { createTaskOutputTool, type TaskOutputDeps } from './task-output.ts'
import { createTaskStopTool, type TaskStopDeps } from './task-stop.ts'
import { createTaskUpdateTool, type TaskUpdateDeps } from './task-update.ts'
import { createTeamCreateTool, type TeamCreateDeps } from './team-create.ts'
import { createTeamDeleteTool, type TeamDeleteDeps } from './team-delete.ts'
import { createTodoWriteTool } from './todo-write.ts'
import { toolSchemaOf } from './tool-schema.ts'
import { createToolSearch } from './tool-search.ts'
import { createWebFetchTool } from './web-fetch.ts'
import { createWebSearchTool, type WebSearchDeps } from './web-search.ts'

export interface ToolPorts extends WebSearchDeps {
  readonly files: FileSystem
  readonly search: FileSearch
  readonly shell: Shell
  readonly documents?: DocumentReader
  readonly pages?: WebPages
  readonly clock: Pick<Clock, 'now'>
  readonly skills: SkillSource
  readonly policy: Pick<Policy, 'trusted' | 'forkSubagents'>
}

/** The operations of tools on teams, their messages and their tasks. */
export interface TeamActions
  extends SendMessageDeps,
    TeamCreateDeps,
    TeamDeleteDeps,
    TaskCreateDeps,
    TaskUpdateDeps,
    TaskListDeps {}

/** The operations of tools on the other agents of a conversation. */
export interface ConversationActions
  extends TeamActions,
    Omit<AgentToolDeps, 'policy'>,
    TaskOutputDeps,
    TaskStopDeps,
    MergeWorktreeDeps,
    ExitPlanModeDeps,
    Pick<BashDeps, 'startCommand'>,
    SetPhaseDeps,
    SkillActions {}

/** In the order in which the model receives them. A new tool is one file, and one line here. */
const BUILT_IN: readonly ((deps: ToolPorts & ConversationActions) => AnyTool | null)[] = [
  createReadTool,
  createWriteTool,
  createEditTool,
  createNotebookEditTool,
  createGlobTool,
  createGrepTool,
  createBashTool,
  createWebFetchTool,
  createWebSearchTool,
  createTodoWriteTool,
  createSkillTool,
  createAskUserQuestionTool,
  createExitPlanModeTool,
  createSendMessageTool,
  createTaskOutputTool,
  createMergeWorktreeTool,
  createTaskStopTool,
  createSetPhaseTool,
  createTaskCreateTool,
  createTaskUpdateTool,
  createTaskListTool,
  createTeamCreateTool,
  createTeamDeleteTool,
  createAgentTool,
]

/** The API accepts no other tool names. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,128}$/

const SEARCH_SOURCE = 'tool-search'
/** Of deferrable tools in every request. */
const MOST_TOKENS = 10_000
const CHARACTERS_PER_TOKEN = 4

interface AddedTools {
  /** Null: all folders. */
  readonly folder: string | null
  readonly tools: readonly AnyTool[]
}

export class ToolRegistry {
  private readonly ports: ToolPorts
  private readonly builtInNames: readonly string[]
  private readonly sources = new Map<string, AddedTools>()
  private readonly knownSources = new Set<string>()
  /** By folder; kept until a source changes, since descriptions are part of every request. */
  private readonly lists = new Map<string, readonly AnyTool[]>()

  constructor(ports: ToolPorts) {
    this.ports = ports
    this.builtInNames = this.builtIn().map(({ name }) => name)
  }

  /**
   * Adds the tools of a source for the conversations of a folder, by default for all, and returns the function that removes them. Agents that run learn of both in their
   * next user message. Throws where the source is there already, or a name is taken or not a tool name.
   */
  add(source: string, tools: readonly AnyTool[], folder: string | null = null): () => void {
    const key = `${folder ?? ''}\0${source}`
    if (this.sources.has(key)) throw new Error(`The tool source ${source} has been added already.`)
    const taken = new Set(this.names(folder))
    for (const { name } of tools) {
      if (!TOOL_NAME.test(name)) throw new Error(`${name} is not a tool name.`)
      if (taken.has(name)) throw new Error(`There is a tool ${name} already.`)
      taken.add(name)
    }
    const added = { folder, tools: tools.map((tool) => ({ ...tool, source })) }
    this.sources.set(key, added)
    this.knownSources.add(source)
    this.lists.clear()
    return () => {
      if (this.sources.get(key) === added) this.sources.delete(key)
      this.lists.clear()
    }
  }

  /** The built-in tools for one conversation. Without one, tools that reach other agents do nothing. */
  builtIn(actions: ConversationActions = outsideConversations): readonly AnyTool[] {
    return BUILT_IN.flatMap((create) => create({ ...this.ports, ...actions }) ?? [])
  }

  /**
   * The tools of the sources of a folder, by name: requests begin with them, so their order must not depend on which source
   * was there first. Null: those of all folders.
   */
  added(folder: string | null): readonly AnyTool[] {
    const key = folder ?? ''
    const kept = this.lists.get(key)
    if (kept) return kept
    const mine = [...this.sources.values()].filter(
      (source) => folder === null || source.folder === null || source.folder === folder,
    )
    const tools = deferTogether(mine.flatMap((source) => source.tools)).toSorted(byName)
    const deferred = tools.filter((tool) => tool.deferred)
    const all =
      deferred.length === 0 ? tools : [...tools, { ...createToolSearch(deferred), source: SEARCH_SOURCE }]
    if (deferred.length > 0) this.knownSources.add(SEARCH_SOURCE)
    this.lists.set(key, all)
    return all
  }

  /** A tool by its name, outside of every conversation; null: there is none. */
  find(name: string): AnyTool | null {
    return [...this.builtIn(), ...this.added(null)].find((tool) => tool.name === name) ?? null
  }

  /** The names of the tools that a conversation of the folder has; null: of all folders. */
  names(folder: string | null = null): readonly string[] {
    return [...new Set([...this.builtInNames, ...this.added(folder).map(({ name }) => name)])]
  }

  /** Whether the source is there now, or was there since this runtime started. */
  hasKnown(source: string): boolean {
    return this.knownSources.has(source)
  }
}

const byName = (one: AnyTool, other: AnyTool): number => (one.name < other.name ? -1 : 1)

/** Defers all deferrable tools once they are too large together, from however many sources they come. */
function deferTogether(tools: readonly AnyTool[]): readonly AnyTool[] {
  const size = tools.reduce(
    (sum, tool) =>
      tool.deferrable === true
        ? sum + tool.description.length + JSON.stringify(toolSchemaOf(tool).input_schema).length
        : sum,
    0,
  )
  if (size / CHARACTERS_PER_TOKEN <= MOST_TOKENS) return tools
  return tools.map((tool) => (tool.deferrable === true ? { ...tool, deferred: true } : tool))
}

const notThere = async () => toolError('This call belongs to no conversation, so it was not run.')

const outsideConversations: ConversationActions = {
  startAgent: notThere,
  agentType: async ({ subagent_type = '' }) => subagent_type,
  startCommand: notThere,
  runSkill: notThere,
  ranByUser: () => false,
  switchModel: () => {},
  sendMessage: notThere,
  createTeam: notThere,
  deleteTeam: notThere,
  createTask: notThere,
  updateTask: notThere,
  listTasks: notThere,
  readTask: notThere,
  stopTask: notThere,
  mergeWork: notThere,
  setPhase: notThere,
  permissionModeOf: () => 'default',
  leavePlanMode: () => {},
  previewMerge: async () => ({
    ok: false,
    failure: { type: 'not-found', message: 'This call belongs to no conversation.' },
  }),
}

/** The tools of a conversation at this moment: the built-in ones, and those of sources that come and go. */
export class AvailableTools {
  private readonly registry: ToolRegistry
  private readonly builtIn: readonly AnyTool[]
  private readonly folder: string

  constructor(registry: ToolRegistry, actions: ConversationActions, folder: string) {
    this.registry = registry
    this.folder = folder
    this.builtIn = registry.builtIn(actions)
  }

  /** In the order in which the model receives them. */
  all(): readonly AnyTool[] {
    return [...this.builtIn.filter((tool) => tool.isOffered?.() ?? true), ...this.registry.added(this.folder)]
  }

  /** Whether a source was there since the program started. */
  hasKnown(source: string): boolean {
    return this.registry.hasKnown(source)
  }

  /** Why the tools of a source are missing; continues a tool's name. */
  whyMissing(source: string): string {
    return this.hasKnown(source)
      ? `its source ${source} was removed. Continue without it`
      : `its source ${source} has not been added since Troupe was started. Continue without it, or ask the user to connect ${source}`
  }
}
