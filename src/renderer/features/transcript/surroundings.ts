/** The context that a transcript provides to its rows. */
import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from 'react'
import { command } from '../../bridge.ts'
import { messageGoneBackTo, useChanges } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import type { FileReference } from './markdown/file-references.ts'
import { StreamedTexts } from './stream/streamed-texts.ts'

export interface Surroundings {
  readonly agentId: string
  /** Opens a file of the agent's folder in the user's editor. */
  openFile(reference: FileReference): void
  /** Asks the main process to open an address. The main process asks the user. */
  openLink(url: string): void
  /** Shows the panel of another agent; null without panels. */
  readonly openAgent: ((agentId: string) => void) | null
  readonly folds: FoldStates
  /** Texts that streamed recently and are rendered already. */
  readonly streamed: StreamedTexts
}

export const SurroundingsContext = createContext<Surroundings | null>(null)

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext)
  if (surroundings === null) throw new Error('A transcript row must be inside a transcript')
  return surroundings
}

/** Creates the surroundings of one agent's rows. */
interface AgentSurroundingsOptions extends Pick<Surroundings, 'agentId' | 'openAgent'> {
  /** The agent's folder. File references are relative to it. */
  readonly folder: string
  /** Called before the user opens or closes a row. */
  readonly onToggle: () => void
}

export function useAgentSurroundings({
  agentId,
  folder,
  openAgent,
  onToggle,
}: AgentSurroundingsOptions): Surroundings {
  const folds = useMemo(() => new FoldStates(onToggle), [onToggle])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another agent has other texts
  const streamed = useMemo(() => new StreamedTexts(), [agentId])
  return useMemo(
    () => ({
      agentId,
      folds,
      streamed,
      openAgent,
      openFile({ path, line }) {
        void command('system.openFile', { folder, path, line }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
      openLink(url) {
        void command('system.openLink', { url }).then((answer) => {
          if (!answer.ok) showFailure(answer.failure)
        })
      },
    }),
    [agentId, folder, folds, streamed, openAgent],
  )
}

// Rows that the shown preview of going back to a message takes out.

/** How a row that is taken out looks. */
export const TAKEN_OUT = 'border-bad border-l-2 pl-2 line-through decoration-bad'

/** The `seq` from which rows of the agent are taken out; infinite: none. */
export function useTakenOutFrom(agentId: string): number {
  const isMain = useConversation(({ agents }) => agents.get(agentId)?.parentId === null)
  return useChanges((state) => (isMain ? messageGoneBackTo(state) : null)) ?? Number.POSITIVE_INFINITY
}

/** The open rows. Rows outside the view are unmounted, so they cannot keep the state themselves. */
export class FoldStates {
  private readonly open = new Map<string, boolean>()
  private readonly listeners = new Map<string, Set<() => void>>()
  private readonly onToggle: () => void

  /** `onToggle` is called before a click of the user changes a row. */
  constructor(onToggle: () => void = () => {}) {
    this.onToggle = onToggle
  }

  /** Undefined if the user has not opened or closed the row. */
  get(key: string): boolean | undefined {
    return this.open.get(key)
  }

  set(key: string, open: boolean): void {
    this.open.set(key, open)
    for (const listener of this.listeners.get(key) ?? []) listener()
  }

  toggle(key: string, atFirst: boolean): void {
    this.onToggle()
    this.set(key, !(this.open.get(key) ?? atFirst))
  }

  subscribe(key: string, listener: () => void): () => void {
    const listeners = this.listeners.get(key) ?? new Set()
    this.listeners.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.listeners.delete(key)
    }
  }
}

/** Whether the part is open, and a function that toggles the part. */
export function useFold(key: string, atFirst = false): readonly [boolean, () => void] {
  const { folds } = useSurroundings()
  const subscribe = useCallback((listener: () => void) => folds.subscribe(key, listener), [folds, key])
  const open = useSyncExternalStore(subscribe, () => folds.get(key)) ?? atFirst
  const toggle = useCallback(() => folds.toggle(key, atFirst), [folds, key, atFirst])
  return [open, toggle]
}
