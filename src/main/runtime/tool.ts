/** A tool, as the loop sees it. Each tool is one file in `tools/`: an input schema and a `create…Tool(deps)`. */
import type { z } from 'zod'
import type { SkillInfo } from '../../shared/agent-catalog.ts'
import type { SeenFile, ToolDisplay, ToolSchema } from '../../shared/agent-event.ts'
import type { ToolContent } from '../../shared/content.ts'
import type { ToolIcon, ToolKind } from '../../shared/tool-call-row.ts'
import type { AgentWorktree } from '../../shared/worktree.ts'
import type { LoadedDefinition } from './ports.ts'

/** What the permission rules judge in a call. */
export type PermissionTarget =
  /** Nothing outside the agent itself is touched: never asks. `subject` is what rules of a definition may name. */
  | { readonly kind: 'none'; readonly subject?: string }
  | { readonly kind: 'read'; readonly path: string }
  /** `preview` is what the prompt shows: a unified diff, or the new content. */
  | { readonly kind: 'write'; readonly path: string; readonly preview: string }
  | { readonly kind: 'command'; readonly command: string }
  /** The tool declares nothing: the call asks unless a rule names the tool. `text` is what the request shows. */
  | {
      readonly kind: 'undeclared'
      /** "use github create_issue": reads on from the agent's name. */
      readonly action: string
      readonly text: string
      /** Whether the call has no side effects. */
      readonly onlyReads: boolean
    }
  /** The user is asked each time, whatever rules and modes allow. `action` and `text` are what the request shows. */
  | {
      readonly kind: 'always-ask'
      /** What rules of a definition may name. */
      readonly subject: string
      /** "merge a branch": reads on from the agent's name. */
      readonly action: string
      readonly text: string
      readonly because: string
      /** How the user can do this without the call. */
      readonly remedy?: string
    }

export interface ToolOutcome {
  readonly isError: boolean
  readonly content: ToolContent
  /** A few words for the row's end: "412 lines". */
  readonly note: string
  readonly display?: ToolDisplay
  /** The file that the agent has read or written with this call. */
  readonly seen?: SeenFile
}

export interface SessionWorktree extends Pick<AgentWorktree, 'path' | 'branch' | 'aliases'> {
  /** Added to the environment of its commands. */
  readonly environment: Readonly<Record<string, string>>
}

/** What one agent carries from call to call. */
export interface ToolSession {
  /** The agent's folder: the root that paths are judged against. */
  readonly root: string
  /** The conversation's folder, for which trust and rules were given; another one where the agent has a worktree. */
  readonly project: string
  /** The worktree it works in, and the checkouts whose paths mean it; null: it works in the project itself. */
  readonly worktree: SessionWorktree | null
  /** The shell's folder, kept between commands. */
  cwd: string
  /** Folders elsewhere that it reads unasked, links resolved. A skill that is loaded adds its own. */
  readonly readFolders: Set<string>
  /** By real path. */
  readonly seen: Map<string, SeenFile>
}

export interface ToolContext {
  readonly agentId: string
  readonly toolUseId: string
  readonly session: ToolSession
  readonly signal: AbortSignal
  /** Output while it runs, for the panel. */
  readonly onOutput: (text: string) => void
  /** The real path the permission was given for: a tool that meets another one when it runs does nothing. */
  readonly approvedRealPath?: string
}

/** A JSON Schema of an object: an MCP server's, for example. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** Zod, or plain JSON Schema, which the model receives as it is. */
export type ToolInputSchema<Input = unknown> = z.ZodType<Input> | JsonSchema

/** A list in a tool's description of what can be started or loaded with the tool. */
export interface ToolOffers {
  /** What an entry is: "agent". */
  readonly noun: string
  /** Whether the tool is left out while the list is empty. */
  readonly needsEntries?: boolean
  /** How an entry is used: "start them with Agent". */
  readonly use: string
  describe(available: AvailableToAgent): ListedDescription
}

export interface ListedDescription {
  readonly description: string
  /** By name, as the model reads them in the description. */
  readonly entries: Readonly<Record<string, string>>
}

/** What one agent can start and load. */
export interface AvailableToAgent {
  readonly definitions: readonly LoadedDefinition[]
  readonly skills: readonly SkillInfo[]
  /** The tools that an agent of the definition would have. */
  toolNamesOf(definition: LoadedDefinition): readonly string[]
}

export interface Tool<Input = unknown> {
  readonly name: string
  /** Other names by which people's rules and models know it. */
  readonly aliases: readonly string[]
  readonly description: string
  /** Set where the description lists what there is; `description` alone is then that of an empty list. */
  readonly offers?: ToolOffers
  /** The source of a tool that is not built in. The registry sets it. */
  readonly source?: string
  readonly schema: ToolInputSchema<Input>
  readonly kind: ToolKind
  readonly icon: ToolIcon
  /** The name for people; `name` by default. */
  readonly label?: string
  /** Whether a long result stays whole in the transcript. By default it is shortened and kept in a file. */
  readonly keepsOutputWhole?: boolean
  /** Whether a run may change the session's `cwd`: then that folder's instructions are loaded. */
  readonly changesFolder?: boolean
  /** Other names of its fields, as other programs have them, by which a model may call it. */
  readonly fieldAliases?: Readonly<Record<string, string>>
  /**
   * Unknown fields that are dropped with a note instead of failing the call. `all` only for tools that change
   * nothing: elsewhere an unknown field may say what the model did not want to happen.
   */
  readonly ignoredFields?: 'all' | readonly string[]
  /**
   * The fields that hold a path or a pattern that may begin with one, and those that hold a command line. In a
   * worktree, paths into the checkouts that mean it are translated there before anything else sees the input.
   */
  readonly paths?: Readonly<Record<string, 'path' | 'command'>>
  /** Whether calls in one message may run at the same time as others. */
  readonly concurrent: boolean
  /** Whether the call may change something outside the agent: then its intent is flushed before it runs. */
  sideEffects(input: Input): boolean
  /** What the row says beside the name: a path, a pattern, a command. One line. */
  summary(input: Input, session: ToolSession): string
  /** What needs permission; may read files to make a preview. Without it a call asks unless a rule names the tool. */
  target?(input: Input, context: ToolContext): Promise<PermissionTarget>
  /** Failures of the day are outcomes with `isError`; what is thrown becomes one too. */
  run(input: Input, context: ToolContext): Promise<ToolOutcome>
}

/** A tool of any input; the loop parses with `schema` before it calls anything else. */
// biome-ignore lint/suspicious/noExplicitAny: inputs are checked by the tool's own schema
export type AnyTool = Tool<any>

export type { ToolSchema }

/** An outcome that says what went wrong. */
export function toolError(message: string, note = 'failed'): ToolOutcome {
  return { isError: true, content: message, note }
}
