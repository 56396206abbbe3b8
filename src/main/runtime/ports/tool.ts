/** A tool, as the loop sees it. Each tool is one file in `tools/`: an input schema and a `create…Tool(deps)`. */
import type { z } from 'zod'
import type { SkillInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { SeenFile, ToolDisplay } from '../../../shared/events/agent-event.ts'
import type { FormAnswer, FormContent } from '../../../shared/forms/form.ts'
import type { Result } from '../../../shared/kernel/result.ts'
import type { ToolContent } from '../../../shared/messages/content.ts'
import type { ToolIcon, ToolKind } from '../../../shared/tools/tool-call-row.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { LoadedDefinition } from './definitions.ts'
import type { ModelFailure, ModelReply, WebSearchRequest } from './model.ts'
import type { CommandLimits } from './sandbox.ts'

/** The target of a call, which the permission rules judge. */
export type PermissionTarget =
  /** Nothing outside the agent itself is touched: never asks. Rules of a definition may name `subject`. */
  | { readonly kind: 'none'; readonly subject?: string }
  | { readonly kind: 'read'; readonly path: string }
  /** The request shows `preview`: a unified diff, or the new content. */
  | { readonly kind: 'write'; readonly path: string; readonly preview: string }
  /** `outside`: the agent asks to run it outside the sandbox. */
  | { readonly kind: 'command'; readonly command: string; readonly outside?: boolean }
  /** A web page. Rules name its domain. */
  | { readonly kind: 'fetch'; readonly url: string }
  /** The tool declares nothing: the call asks unless a rule names the tool. The request shows `text`. */
  | {
      readonly kind: 'undeclared'
      /** "use github create_issue": continues the agent's name. */
      readonly action: string
      readonly text: string
      /** Whether the call has no side effects. */
      readonly onlyReads: boolean
      /** What the call may be. Rules that deny one of these deny the call. */
      readonly mayBe?: readonly PossibleTarget[]
      /** Another name that rules may have for such calls: `mcp__docs__ReadMcpResource`. */
      readonly ruleName?: string
    }
  /** The user is asked each time, regardless of rules and modes, where a user answers. The request shows `action` and `text`. */
  | {
      readonly kind: 'always-ask'
      /** The name for rules of a definition. */
      readonly subject: string
      /** "merge a branch": continues the agent's name. */
      readonly action: string
      readonly text: string
      readonly because: string
      /** The way in which the user can do this without the call. */
      readonly remedy?: string
      /**
       * Set where no user answers in this run: then a rule or the mode bypassPermissions allows the call after all.
       * `allowedBecause`: the user's command line allows it too; null: it does not.
       */
      readonly unasked?: { readonly allowedBecause: string | null }
    }

export type PossibleTarget =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'read' | 'write'; readonly path: string }

export interface ToolOutcome {
  readonly isError: boolean
  readonly content: ToolContent
  /** A short note for the row's end: "412 lines". */
  readonly note: string
  readonly display?: ToolDisplay
  /** The file that the agent has read or written with this call. */
  readonly seen?: SeenFile
  /** Names of deferred tools that the call found. */
  readonly found?: string[]
}

export interface SessionWorktree extends Pick<AgentWorktree, 'path' | 'branch' | 'aliases' | 'isRepository'> {
  /** Added to the environment of its commands. */
  readonly environment: Readonly<Record<string, string>>
}

/** The state of a file after an agent last read or wrote it; null: it is gone. */
export type LaterState = Pick<SeenFile, 'mtimeMs' | 'size'> | null

/** A file that an agent has read or written, and what became of it since. */
export interface SessionFile extends SeenFile {
  /** The last state that the agent knows of without having read it. `times`: how often it was told of changes. */
  readonly later?: { readonly state: LaterState; readonly times: number }
  /** The last change by a command of the agent: when it was recorded, and the size; null: the file was deleted. */
  readonly own?: { readonly at: number; readonly size: number | null }
}

/** The state that one agent keeps between tool calls. */
export interface ToolSession {
  /** The agent's folder: the root for the judgment of paths. */
  readonly root: string
  /** The conversation's folder, whose trust and rules apply; differs from `root` if the agent has a worktree. */
  readonly project: string
  /**
   * The agent's worktree, and the checkouts whose paths mean the worktree; null: the agent works in the project itself.
   */
  readonly worktree: SessionWorktree | null
  /** The user's home folder, which `~` in a path means; missing or null: `~` is the name of a file. */
  readonly home?: string | null
  /** The shell's folder, kept between commands. */
  cwd: string
  /** Other folders that the agent reads without permission, links resolved. Each loaded skill adds its folder. */
  readonly readFolders: Set<string>
  /** By real path. */
  readonly seen: Map<string, SessionFile>
  /** Variables that interceptors set for the agent's commands. Missing: none. */
  readonly variables?: () => Readonly<Record<string, string>>
}

/** A question to a model, without the agent's history and tools. */
export interface ToolModelRequest {
  /** An alias or an id; null: the agent's model. */
  readonly model: string | null
  readonly system: string
  readonly text: string
  readonly webSearch?: WebSearchRequest
}

/** The work of a call that takes long. */
export interface LaterWork {
  /** "Call of mcp__github__search_code". */
  readonly title: string
  /** Never rejects. */
  readonly done: Promise<ToolOutcome>
  stop(): void
}

/** Work in the background. */
export interface BackgroundWork {
  /** For TaskOutput and TaskStop. */
  readonly id: string
  readonly onOutput: (text: string) => void
}

export interface ToolContext {
  readonly agentId: string
  readonly toolUseId: string
  readonly session: ToolSession
  readonly signal: AbortSignal
  /** Whether a user answers this agent's requests; missing: one does. */
  readonly reachesUser?: boolean
  /** Output of the running call, for the panel. */
  readonly onOutput: (text: string) => void
  /** Shows the user a form in the agent's panel, and waits. Canceled at once where no user can be asked. */
  askForm(form: FormContent): Promise<FormAnswer>
  /** One request to a model beside the conversation. Its cost is the agent's. */
  askModel(request: ToolModelRequest): Promise<Result<ModelReply, ModelFailure>>
  /**
   * Adds the schemas of these deferred tools to the agent's next request. Missing: no schemas can be added.
   * @returns the names of the tools that the agent may use
   */
  loadTools?(names: readonly string[]): Promise<readonly string[]>
  /**
   * Lets work go on in the background after the call returns, as a command of the agent: TaskOutput reads its result,
   * TaskStop stops it, and it ends with the agent's run. Missing: work can't go on.
   * @returns the reason, if this agent can't have it
   */
  toBackground?(work: LaterWork): BackgroundWork | string
  /**
   * For a call whose effects go on after its result: its changes are recorded when the returned function is called,
   * instead of after the call. Missing: changes are not recorded.
   */
  holdChanges?(): () => Promise<void>
  /** The permitted real path. A tool that finds another real path when it runs does nothing. */
  readonly approvedRealPath?: string
  /** The limits of a command that runs in the sandbox. Missing: it runs outside, or there is no sandbox. */
  readonly limits?: CommandLimits
  /** Whether a search leaves out this file, by its real path, because a rule denies it. Missing: it leaves out none. */
  readonly hides?: (path: string) => boolean
}

/** A JSON Schema of an object: an MCP server's, for example. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Zod, or plain JSON Schema, which the model receives unchanged. */
export type ToolInputSchema<Input = unknown> = z.ZodType<Input> | JsonSchema

/** A list in a tool's description: the agents or skills for the tool. */
interface ToolOffers {
  /** The kind of an entry: "agent". */
  readonly noun: string
  /** Whether the tool is left out while the list is empty. */
  readonly needsEntries?: boolean
  /** The use of the entries: "start them with Agent". */
  readonly use: string
  describe(available: AvailableToAgent): ListedDescription
}

export interface ListedDescription {
  readonly description: string
  /** By name, as the model reads them in the description. */
  readonly entries: Readonly<Record<string, string>>
  /** Fields that the agent has no use for: accepted, and not offered to it. */
  readonly hidden?: readonly string[]
}

/** The agents that one agent can start, and the skills that it can load. */
export interface AvailableToAgent {
  /** Whether it is a main agent. */
  readonly isMain: boolean
  /** Whether the situation leaves the tool out of its requests: a rule denies it, for example. */
  isLeftOut(tool: string): boolean
  readonly definitions: readonly LoadedDefinition[]
  readonly skills: readonly SkillInfo[]
  /** The tools that an agent of the definition would have. */
  toolNamesOf(definition: LoadedDefinition): readonly string[]
}

export interface Tool<Input = unknown> {
  readonly name: string
  /** Other names of the tool, in users' rules and for models. */
  readonly aliases: readonly string[]
  readonly description: string
  /** Set if the description contains a list; `description` is then the text for an empty list. */
  readonly offers?: ToolOffers
  /** The source of a tool that is not built in. The registry sets it. */
  readonly source?: string
  /** Whether an agent with ToolSearch gets the schema only after a search found the tool. */
  readonly deferred?: boolean
  /** Whether the tool is deferred once all tools of this kind are together too large for every request. */
  readonly deferrable?: boolean
  /** Why no agent can have the tool, as a clause: "its schema has …". Its name is told to the user and the main agent. */
  readonly unusable?: string
  /** Whether only agents have the tool whose definition names its server: another definition describes the server. */
  readonly onlyWhereNamed?: boolean
  readonly schema: ToolInputSchema<Input>
  /** What the model sees instead of `schema`, where the API can't take it, and its input as `schema` has it. */
  readonly shown?: { readonly schema: JsonSchema; restored(input: unknown): unknown }
  readonly kind: ToolKind
  readonly icon: ToolIcon
  /** The name for people; `name` by default. */
  readonly label?: string
  /** Whether a long result stays whole in the transcript. By default it is shortened and kept in a file. */
  readonly keepsOutputWhole?: boolean
  /** Whether a run may change the session's `cwd`: then that folder's instructions are loaded. */
  readonly changesFolder?: boolean
  /** Agents that the same message starts belong to what a call begins: they do not start if it fails. */
  readonly startsPhase?: boolean
  /** Other names of its fields, as other programs have them, by which a model may call it. */
  readonly fieldAliases?: Readonly<Record<string, string>>
  /**
   * Unknown fields that are dropped with a note instead of failing the call. `all` only for tools that change nothing:
   * elsewhere an unknown field may restrict the call.
   */
  readonly ignoredFields?: 'all' | readonly string[]
  /**
   * The fields with a path or a pattern of paths, and the fields with a command line. For an agent in a worktree, paths
   * into the checkouts whose paths mean the worktree are translated first.
   */
  readonly paths?: Readonly<Record<string, 'path' | 'command'>>
  /** Whether new agents have the tool now. True by default. */
  isOffered?(): boolean
  /** Whether calls in one message may run at the same time as others. */
  readonly concurrent: boolean
  /** Whether the call may change something outside the agent: then its intent is flushed before it runs. */
  sideEffects(input: Input): boolean
  /** The row's text beside the name: a path, a pattern, a command. One line. */
  summary(input: Input, session: ToolSession): string
  /**
   * The permission target; may read files for a preview. Without this function, a call asks unless a rule names the
   * tool.
   */
  target?(input: Input, context: ToolContext): Promise<PermissionTarget>
  /** Expected failures are outcomes with `isError`; a thrown error becomes such an outcome too. */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>
}

/** A tool of any input; the loop parses with `schema` before it calls anything else. */
// biome-ignore lint/suspicious/noExplicitAny: inputs are checked by the tool's own schema
export type AnyTool = Tool<any>

/** An outcome that says what went wrong. */
export function toolError(message: string, note = 'failed'): ToolOutcome {
  return { isError: true, content: message, note }
}

/** The tools of all conversations, as sources add and remove them. */
export interface ToolSources {
  /**
   * Adds the tools of a source for the conversations of a folder, by default for all, and returns the function that
   * removes them. Throws where the source is there already, or a name is taken or not a tool name.
   */
  add(source: string, tools: readonly AnyTool[], folder?: string | null): () => void
  /** The names of the tools that a conversation of the folder has; null, the default: of all folders. */
  names(folder?: string | null): readonly string[]
  /** A tool by its name, outside of every conversation; null: there is none. */
  find(name: string): AnyTool | null
}
