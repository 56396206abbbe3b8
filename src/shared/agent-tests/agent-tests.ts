/**
 * Tests of agent definitions. A case is a saved task with checks; a version is a definition with a model; an attempt is one
 * agent that carries out a case with a version, in a worktree of its own. Types and pure parts, which the window loads.
 */
import type { Effort } from '../models/effort.ts'

/** A saved task: `.claude/agent-tests/AGENT/NAME.yaml`. */
export interface AgentCase {
  /** The path of its file below the folder, with `/`. */
  readonly file: string
  /** The name of the definition that it tests: the name of the file's folder. */
  readonly agent: string
  readonly name: string
  readonly task: string
  readonly start: CaseStart
  /** How the agent is started: as a subagent that reports, or as the main agent of a conversation. */
  readonly role: 'subagent' | 'main'
  readonly checks: readonly CaseCheck[]
  readonly limits: CaseLimits
  readonly permissions: CasePermissions
  /** Of all but its name, file and start; missing: it was not read from a file. */
  readonly digest?: string
}

/** What the worktree of an attempt contains at first. */
export type CaseStart =
  /** The commit that is checked out when the run begins. */
  | { readonly type: 'head' }
  | { readonly type: 'commit'; readonly commit: string }
  /** A folder kept beside the case, relative to its file. */
  | { readonly type: 'files'; readonly folder: string }

/** One thing that must be true of an attempt. */
export type CaseCheck =
  | { readonly type: 'report-contains'; readonly text: string }
  | { readonly type: 'report-lacks'; readonly text: string }
  /** A regular expression of JavaScript with its flags. */
  | { readonly type: 'report-matches'; readonly pattern: string; readonly flags: string }
  /** The report is JSON that is valid against this JSON Schema. */
  | { readonly type: 'report-schema'; readonly schema: unknown }
  /** Each pattern matches a changed file. */
  | { readonly type: 'files-changed'; readonly paths: readonly string[] }
  /** No pattern matches a changed file. */
  | { readonly type: 'files-unchanged'; readonly paths: readonly string[] }
  /** A command that ends with exit code 0 in the worktree, after the agent. */
  | { readonly type: 'command'; readonly command: string }
  /** None of these tools was called; `*`: none at all. */
  | { readonly type: 'tools-not-used'; readonly tools: readonly string[] }
  /** No permission request of these tools; `*`: of any. */
  | { readonly type: 'no-request'; readonly tools: readonly string[] }
  /** A model reads the report and the changes, three times; the majority decides. An opinion, and shown as one. */
  | { readonly type: 'opinion'; readonly rubric: string }

/** Null: the usual limit of a background agent. */
export interface CaseLimits {
  readonly turns: number | null
  readonly tokens: number | null
  readonly usd: number | null
  readonly ms: number | null
}

/** The permissions of an attempt: nobody answers. A request that no rule answers fails the attempt. */
export interface CasePermissions {
  readonly mode: 'default' | 'acceptEdits' | 'plan'
  readonly allow: readonly string[]
  readonly deny: readonly string[]
}

/** What can be compared: a definition, and what differs from it. */
export interface VersionRef {
  readonly base: /** The definition as it is on the disk. */
    | { readonly type: 'in-use' }
    /** A text of the editor. `name`: what it is called in place of `Draft`. */
    | { readonly type: 'draft'; readonly text: string; readonly name?: string | undefined }
    /** The file at an earlier commit. */
    | { readonly type: 'commit'; readonly commit: string }
    /** Another agent of the catalog, also an external one. */
    | { readonly type: 'agent'; readonly name: string }
  /** Null: that of the definition. */
  readonly model: string | null
  readonly effort: Effort | null
  /** A skill that is added to those of the definition. */
  readonly skill: string | null
}

/** A version with what it is called. */
export interface AgentVersion {
  /** From the content: equal definitions with equal models have equal ids. */
  readonly id: string
  readonly ref: VersionRef
  /** Such as `In use`, `Draft`, `Draft, haiku`, `Nov 12`. */
  readonly title: string
  /** The model it runs with, by its id. */
  readonly model: string
  /** Such as `14 lines changed`, the subject of its commit. */
  readonly note: string
  /** The text of the definition; null: an external agent. */
  readonly text: string | null
  /** ms since the epoch when it was saved; null: it is not. */
  readonly savedAt: number | null
}

export type AttemptState =
  | 'waiting'
  | 'running'
  | 'checking'
  | 'passed'
  | 'failed'
  /** The case or its checks could not be carried out: it counts for no version. */
  | 'broken'
  | 'stopped'

export interface CheckResult {
  readonly check: CaseCheck
  readonly passed: boolean
  /** What was found, such as `reported 1`, the end of a command's output. */
  readonly found: string
}

/** One agent that carries out a case with a version. */
export interface CaseAttempt {
  /** Unique in the folder. */
  readonly id: string
  readonly runId: string
  /** The content of case, definition and model, hashed: attempts of one key can stand for each other. */
  readonly key: string
  /** Digests of its case, and of the files that it began with; missing: it is of an earlier Troupe. */
  readonly content?: { readonly case: string; readonly files: string }
  readonly caseFile: string
  readonly versionId: string
  /** From 1, within its key. */
  readonly number: number
  readonly state: AttemptState
  /** Why it failed, broke or was stopped, as a sentence; null: it did not, or its checks say it. */
  readonly because: string | null
  readonly checks: readonly CheckResult[]
  /** Null: not known, or not reported. */
  readonly usd: number | null
  readonly tokens: number
  readonly turns: number
  readonly ms: number
  /** Where its transcript is; null: it has not begun. */
  readonly conversationId: string | null
  readonly agentId: string | null
  /** ms since the epoch of its last change of state. */
  readonly at: number
}

/** A run: versions × cases × attempts. */
export interface TestRun {
  readonly id: string
  readonly agent: string
  readonly title: string
  readonly versions: readonly AgentVersion[]
  readonly caseFiles: readonly string[]
  readonly attempts: number
  readonly maxUsd: number | null
  readonly stopsWhenClear: boolean
  /** `stopped`: by the user, or by its budget; `because` says which. */
  readonly state: 'running' | 'ended' | 'stopped' | 'interrupted'
  readonly because: string | null
  readonly startedAt: number
  readonly endedAt: number | null
  /** Attempts that were taken from earlier runs. */
  readonly reused: number
  readonly usd: number
}

/** A case file that can't be used. */
export interface CaseProblem {
  readonly file: string
  /** 1-based; null: of the whole file. */
  readonly line: number | null
  readonly message: string
}

/** What the window shows of a folder. */
export interface AgentTestsSnapshot {
  readonly folder: string
  /** Agents of the catalog and agents with cases, by name. */
  readonly agents: readonly { readonly name: string; readonly cases: number }[]
  readonly cases: readonly AgentCase[]
  readonly problems: readonly CaseProblem[]
  /** The newest first. */
  readonly runs: readonly TestRun[]
  /** Of all runs that are shown, the newest state of each attempt. */
  readonly attempts: readonly CaseAttempt[]
  /** Why nothing can be run here, as a sentence, such as no git repository, no trust; null: it can. */
  readonly refusal: string | null
}

export const MOST_ATTEMPTS_A_CASE = 50
export const USUAL_ATTEMPTS = 6

/** What changed in a folder since its snapshot: each replaces what has its id, or is new. */
export interface AgentTestsProgress {
  readonly folder: string
  readonly runs: readonly TestRun[]
  readonly attempts: readonly CaseAttempt[]
}

/** The snapshot with what changed. Progress of another folder changes nothing. */
export function withProgress(snapshot: AgentTestsSnapshot, progress: AgentTestsProgress): AgentTestsSnapshot {
  if (progress.folder !== snapshot.folder) return snapshot
  const runs = merged(snapshot.runs, progress.runs).toSorted((a, b) => b.startedAt - a.startedAt)
  return { ...snapshot, runs, attempts: merged(snapshot.attempts, progress.attempts) }
}

function merged<T extends { readonly id: string }>(
  before: readonly T[],
  changed: readonly T[],
): readonly T[] {
  const byId = new Map(before.map((each) => [each.id, each]))
  for (const each of changed) byId.set(each.id, each)
  return [...byId.values()]
}

/** By what they have in common, in their order. */
export function grouped<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const group = groups.get(keyOf(one))
    if (group === undefined) groups.set(keyOf(one), [one])
    else group.push(one)
  }
  return groups
}
