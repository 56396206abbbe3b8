/** What the agents of an open conversation share in memory only, each part with its own rules. */
import { type Sibling, siblingColor } from '../../../shared/agent-definition/agent-color.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import type { PermissionRule } from '../permissions/permission-rule.ts'
import type { FolderFacts } from '../ports/definitions.ts'

/** Chooses the colors of subagents, so that siblings can be told apart. */
export class SiblingColors {
  /** The agents that are being prepared, by id. */
  private readonly preparing = new Map<string, { readonly parentId: string; readonly color: string }>()
  private readonly states: () => Iterable<AgentState>

  /** `states`: all agents of the conversation, also those of earlier sessions. */
  constructor(states: () => Iterable<AgentState>) {
    this.states = states
  }

  /** The color of a new agent, which no sibling that starts later gets. */
  next({ id, parentId, wanted }: NewSibling): string {
    const siblings: Sibling[] = []
    for (const state of this.states()) {
      this.preparing.delete(state.id)
      if (state.parentId === parentId) siblings.push({ color: state.definition.color, isLive: isLive(state) })
      // The parent's color comes before one that a sibling at work has, and after a free one.
      else if (state.id === parentId) siblings.push({ color: state.definition.color, isLive: false })
    }
    for (const other of this.preparing.values())
      if (other.parentId === parentId) siblings.push({ color: other.color, isLive: true })
    const color = siblingColor(wanted, siblings)
    this.preparing.set(id, { parentId, color })
    return color
  }

  /** The agent will not start. */
  release(id: string): void {
    this.preparing.delete(id)
  }
}

interface NewSibling {
  readonly id: string
  readonly parentId: string
  /** As its definition names it. */
  readonly wanted: string | null
}

/** Lets the agents of one message prepare at the same time, and spawn in the order of their calls. */
export class StartOrder {
  private readonly latest = new Map<string, Promise<unknown>>()

  /** To be called in the order of the calls. `done` lets the next start of this parent spawn; it may be called twice. */
  begin(parentId: string): Start {
    const earlier = this.latest.get(parentId) ?? Promise.resolve()
    let done = (): void => undefined
    const own = new Promise<void>((resolve) => {
      done = resolve
    })
    const settled = Promise.all([earlier, own]).then(() => {
      if (this.latest.get(parentId) === settled) this.latest.delete(parentId)
    })
    this.latest.set(parentId, settled)
    return { earlier, done }
  }
}

interface Start {
  /** Resolves when all earlier starts of the parent have spawned or failed. */
  readonly earlier: Promise<unknown>
  readonly done: () => void
}

/** Tracks the agents in each worktree of a conversation. Entering, saving and leaving one worktree are serialized. */
export class WorktreeUse {
  private readonly lock = new KeyedLock()
  private readonly uses = new Map<string, Use>()

  withLock<T>(worktreeId: string, act: (use: Use) => Promise<T>): Promise<T> {
    const use = this.uses.get(worktreeId) ?? { working: new Set(), holding: new Set(), isHeld: false }
    this.uses.set(worktreeId, use)
    return this.lock.withLock(worktreeId, () => act(use))
  }
}

interface Use {
  /** Agents that are running in the worktree. Their changes are committed when their run ends. */
  readonly working: Set<string>
  /** Agents that entered the worktree and have not left it. */
  readonly holding: Set<string>
  /** Whether an agent entered the worktree since it was last released. */
  isHeld: boolean
}

/** The checks of attempts that run in a conversation. */
export class AttemptChecks {
  /** By agent. */
  readonly running = new Map<string, AbortController>()
  /** Lets one check run at a time. */
  readonly order = new KeyedLock()

  stop(agentId: string): void {
    this.running.get(agentId)?.abort()
  }

  stopAll(): void {
    for (const controller of this.running.values()) controller.abort()
  }
}

/** The variables that interceptors set for the commands of agents. */
export class HookVariables {
  private readonly parentOf: (agentId: string) => string | null
  private readonly set = new Map<string, Map<string, Readonly<Record<string, string>>>>()

  constructor(parentOf: (agentId: string) => string | null) {
    this.parentOf = parentOf
  }

  /** Replaces the variables that were set for the agent under this key. */
  replace(agentId: string, key: string, variables: Readonly<Record<string, string>>): void {
    const own = this.set.get(agentId) ?? new Map<string, Readonly<Record<string, string>>>()
    this.set.set(agentId, own)
    own.delete(key)
    own.set(key, variables)
  }

  /** Those of the agents above count too; the agent's own ones come before them. */
  of(agentId: string): Readonly<Record<string, string>> {
    const parent = this.parentOf(agentId)
    const above = parent === null ? {} : this.of(parent)
    return Object.assign({}, above, ...(this.set.get(agentId)?.values() ?? []))
  }
}

/** What the conversation remembers between the start and the end of a run of its main agent. */
export interface RunMemory {
  /** The tree of the files before the run; null: unknown. */
  before: string | null
  /** The request of the user that the run answers. */
  request: string
  /** Verifications that the setting started since the last message of the user. */
  started: number
}

/** The answers to the questions of one agent's last message: all its calls share one. */
export interface FanOutAnswer {
  /** The message with the calls, by its number in the transcript. */
  readonly seq: number | null
  /** Why no agent may start; null: they may. */
  readonly refusal: Promise<string | null> | null
}

/** What was read of the conversation's folder. See `agent/spawn-context.ts`. */
export interface KnownFolder {
  /** Read once, so that siblings share one cached prefix. Null: not yet. */
  facts: Promise<FolderFacts> | null
  /** Whether there are notebooks; null: nobody has looked. */
  notebooks: Promise<boolean> | null
  /** The names of the tools of definitions, by all that decides about them: see `agent/agent-tools.ts`. */
  readonly toolNames: Map<string, readonly string[]>
  /** As it was last read. */
  situation: {
    readonly hasNotebooks: boolean
    /** The user's rules. */
    readonly deny: readonly PermissionRule[]
    readonly allow: readonly PermissionRule[]
  }
}
