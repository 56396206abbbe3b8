/**
 * Arrangements of the stage that the user named: the layout of the panels, which agents they show, the widths of the columns,
 * and the agents in windows of their own. They are kept in the local storage, for all conversations. In another conversation
 * an agent's place goes to an agent of the same type, or to the one with the same number.
 */
import { create } from 'zustand'
import { hasHiddenCharacters } from '../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import { count } from '../ui/text/format.ts'
import { changeColumnWidths, useColumnWidths, widthOf } from './column-widths.ts'
import { useConversation } from './conversation-store.ts'
import { showNotice } from './overlay-store.ts'
import { showOwnWindows, useOwnWindows } from './own-windows.ts'
import { setView, useSession } from './session-store.ts'
import { arrangeAnew, type Layout, layouts, showStagePart, useStageMemory } from './stage-store.ts'

const STORAGE = 'troupe.layouts'
const LONGEST_NAME = 60
const MOST = 50

/** An agent that a layout names, as it was when the layout was saved. */
interface Place {
  readonly agentId: string
  readonly type: string
  /** Its number among the subagents, in the order of their starts, from 0. */
  readonly number: number
}

export interface NamedLayout {
  readonly name: string
  readonly layout: Layout
  /** In px; null: the default width. */
  readonly side: number | null
  readonly talk: number | null
  readonly places: readonly Place[]
  // The rest are ids of agents in `places`.
  readonly panels: readonly string[]
  readonly pinned: readonly string[]
  readonly focused: string | null
  /** The serialized layout of the docking library. */
  readonly dock: unknown
  readonly windows: readonly string[]
}

/** The open dialog: a new layout, or another name for one. */
type LayoutDialog = { readonly kind: 'save' } | { readonly kind: 'rename'; readonly name: string }

interface NamedLayoutsState {
  /** In the order of their names. */
  readonly all: readonly NamedLayout[]
  readonly dialog: LayoutDialog | null
}

export const useNamedLayouts = create<NamedLayoutsState>()(() => ({ all: read(), dialog: null }))

export function showLayoutDialog(dialog: LayoutDialog | null): void {
  useNamedLayouts.setState({ dialog })
}

/** Why a layout can't have this name, as a sentence; null: it can. A layout that has it already is no problem here. */
export function layoutNameProblem(name: string): string | null {
  const text = name.trim()
  if (text === '') return 'Enter a name.'
  if (text.length > LONGEST_NAME) return `Use at most ${LONGEST_NAME} characters.`
  return hasHiddenCharacters(text) ? 'The name has a character that can’t be seen.' : null
}

/** The layout with this name, whatever the case of its letters. */
export function layoutNamed(name: string): NamedLayout | null {
  return useNamedLayouts.getState().all.find((one) => isSameName(one.name, name)) ?? null
}

const isSameName = (a: string, b: string) =>
  a.trim().toLocaleLowerCase('en') === b.trim().toLocaleLowerCase('en')

/** Saves the arrangement of the stage under a name, in place of a layout that has it. @returns why not; null: saved */
export function saveLayout(name: string): string | null {
  const problem = layoutNameProblem(name)
  if (problem !== null) return problem
  const others = useNamedLayouts.getState().all.filter((one) => !isSameName(one.name, name))
  if (others.length >= MOST) return `There are ${MOST} layouts already. Delete one first.`
  return keep([...others, { name: name.trim(), ...layoutNow() }])
}

/** Renames a layout. @returns why not; null: renamed */
export function renameLayout(from: string, to: string): string | null {
  const problem = layoutNameProblem(to)
  if (problem !== null) return problem
  const { all } = useNamedLayouts.getState()
  if (!isSameName(from, to) && layoutNamed(to) !== null) return `Another layout is named “${to.trim()}”.`
  return keep(all.map((one) => (one.name === from ? { ...one, name: to.trim() } : one)))
}

/** Deletes a layout, and offers to bring it back. */
export function deleteLayout(name: string): void {
  const { all } = useNamedLayouts.getState()
  const deleted = all.find((one) => one.name === name)
  if (deleted === undefined) return
  keep(all.filter((one) => one !== deleted))
  showNotice({
    level: 'info',
    text: `Layout “${name}” deleted.`,
    action: {
      label: 'Undo',
      run: () => {
        if (layoutNamed(name) === null) keep([...useNamedLayouts.getState().all, deleted])
      },
    },
  })
}

/** Arranges the stage of the conversation on the screen as a layout says. */
export function applyLayout(name: string): void {
  const layout = layoutNamed(name)
  const { agents } = useConversation.getState()
  if (layout === null) return
  const ids = agentsFor(layout.places, subagentsOf(agents))
  const here = (all: readonly string[]) => all.flatMap((id) => ids.get(id) ?? [])
  setView('stage')
  showStagePart('panels')
  changeColumnWidths({ side: layout.side, talk: layout.talk })
  arrangeAnew(
    {
      layout: layout.layout,
      pinned: here(layout.pinned),
      focused: (layout.focused !== null && ids.get(layout.focused)) || null,
      dock: renamed(layout.dock, ids),
    },
    here(layout.panels),
  )
  showOwnWindows(here(layout.windows))
  const missing = layout.places.length - ids.size
  showNotice({
    level: 'info',
    text:
      missing === 0
        ? `Layout “${layout.name}”`
        : `Layout “${layout.name}”, without ${count(missing, 'agent')} that this conversation does not have`,
  })
}

/** The arrangement of the stage on the screen. */
function layoutNow(): Omit<NamedLayout, 'name'> {
  const { agents } = useConversation.getState()
  const { memory, shown } = useStageMemory.getState()
  const { side, talk } = useColumnWidths.getState()
  const layout = memory.layout ?? useSession.getState().settings.stageLayout
  const windows = [...useOwnWindows.getState().agentIds].filter((id) => agents.has(id))
  const dock = layout === 'free' ? memory.dock : null
  const panels = layout === 'free' ? [] : shown
  const focused = layout === 'focus' ? (memory.focused ?? shown[0] ?? null) : null
  const named = new Set([...panels, ...memory.pinned, ...windows, ...(focused === null ? [] : [focused])])
  const docked = layout === 'free' ? shown : []
  const places = subagentsOf(agents).flatMap(({ id, definition }, number) =>
    named.has(id) || docked.includes(id) ? [{ agentId: id, type: definition.name, number }] : [],
  )
  return { layout, side, talk, places, panels, pinned: memory.pinned, focused, dock, windows }
}

/** In the order of their starts. */
function subagentsOf(agents: ReadonlyMap<string, AgentState>): readonly AgentState[] {
  return [...agents.values()].filter(({ parentId }) => parentId !== null)
}

/**
 * Which agent has which place: the same agent, else one of the same type, else the one with the same number. Each agent has one
 * place. A place without an agent is missing.
 */
function agentsFor(places: readonly Place[], agents: readonly AgentState[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  const give = (find: (place: Place) => AgentState | undefined) => {
    for (const place of places) {
      if (ids.has(place.agentId)) continue
      const agent = find(place)
      if (agent === undefined) continue
      ids.set(place.agentId, agent.id)
      taken.add(agent.id)
    }
  }
  const isFree = ({ id }: AgentState) => !taken.has(id)
  give(({ agentId }) => agents.find((agent) => agent.id === agentId))
  give(({ type }) => agents.find((agent) => isFree(agent) && agent.definition.name === type))
  give(({ number }) => agents.find((agent, index) => isFree(agent) && index === number))
  return ids
}

/** A value of JSON in which ids of agents are others, as keys and as texts. */
function renamed(value: unknown, ids: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => renamed(one, ids))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [ids.get(key) ?? key, renamed(one, ids)]),
  )
}

/** @returns why the layouts could not be stored; null: they are */
function keep(all: readonly NamedLayout[]): string | null {
  const sorted = all.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  try {
    localStorage.setItem(STORAGE, JSON.stringify(sorted))
  } catch {
    return 'The layout could not be stored: the storage of the window is full.'
  }
  useNamedLayouts.setState({ all: sorted })
  return null
}

/** Layouts that can't be read are left out. */
function read(): readonly NamedLayout[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE) ?? '[]')
    return Array.isArray(stored) ? stored.flatMap((one) => layoutIn(one) ?? []) : []
  } catch {
    return []
  }
}

function layoutIn(stored: unknown): NamedLayout | null {
  if (typeof stored !== 'object' || stored === null) return null
  const { name, layout, side, talk, places, panels, pinned, focused, dock, windows } = stored as Partial<
    Record<keyof NamedLayout, unknown>
  >
  const known = layouts.find((one) => one === layout)
  if (typeof name !== 'string' || layoutNameProblem(name) !== null || known === undefined) return null
  return {
    ...{ name, layout: known, side: widthOf(side), talk: widthOf(talk) },
    places: Array.isArray(places) ? places.filter(isPlace) : [],
    ...{ panels: strings(panels), pinned: strings(pinned), windows: strings(windows) },
    focused: typeof focused === 'string' ? focused : null,
    dock: dock ?? null,
  }
}

function isPlace(stored: unknown): stored is Place {
  if (typeof stored !== 'object' || stored === null) return false
  const { agentId, type, number } = stored as Partial<Record<keyof Place, unknown>>
  return typeof agentId === 'string' && typeof type === 'string' && Number.isInteger(number)
}

function strings(stored: unknown): readonly string[] {
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
}
