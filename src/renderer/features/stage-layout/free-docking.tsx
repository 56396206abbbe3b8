/**
 * The free layout: the user arranges the panels, and the docking library splits, sizes and serializes them.
 * The tabs and the dragging of the library are off: users drag panels by their headers in every layout.
 */
import { type DockviewApi, DockviewReact, type IDockviewPanelProps } from 'dockview-react'
import 'dockview-react/dist/styles/dockview.css'
import type { SerializedDockview } from 'dockview-react'
import type { ReactNode } from 'react'
import {
  createContext,
  type Ref,
  useCallback,
  useContext,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import './free-docking.css'
import { PANEL_MIN_HEIGHT, PANEL_MIN_WIDTH } from './geometry.ts'
import type { Move } from './panel-drag.ts'

export interface DockHandle {
  /** Gives an agent a panel, if it has none. */
  open(agentId: string): void
  close(agentId: string): void
  move(move: Move): void
  /** Fills the stage with a panel, or restores the other panels. */
  toggleMaximized(agentId: string): void
}

export interface FreeDockingProps {
  /** The saved layout; null: `panels` are laid out in `columns`. */
  readonly saved: unknown
  readonly panels: readonly string[]
  readonly columns: number
  /** A move to make once the panels are laid out. */
  readonly firstMove: Move | null
  readonly knownAgents: ReadonlySet<string>
  readonly renderPanel: (agentId: string) => ReactNode
  /** Reports the current panels and the layout to save. */
  readonly onChange: (panels: readonly string[], saved: unknown) => void
  readonly onMaximize: (agentId: string | null) => void
  readonly ref: Ref<DockHandle>
}

const RenderPanel = createContext<(agentId: string) => ReactNode>(() => null)

export function FreeDocking(props: FreeDockingProps) {
  const { renderPanel, ref } = props
  const latest = useRef(props)
  latest.current = props
  const api = useRef<DockviewApi | null>(null)
  const [minWidth, setMinWidth] = useState(0)

  const onReady = useCallback(({ api: ready }: { api: DockviewApi }) => {
    api.current = ready
    ready.onDidAddGroup((group) => {
      group.header.hidden = true
    })
    restore(ready, latest.current)
    const report = () => {
      setMinWidth(ready.minimumWidth)
      latest.current.onChange(
        ready.panels.map((panel) => panel.id),
        ready.toJSON(),
      )
    }
    ready.onDidLayoutChange(report)
    ready.onDidMaximizedGroupChange(() => {
      const maximized = ready.panels.find((panel) => panel.api.isMaximized())
      latest.current.onMaximize(maximized?.id ?? null)
    })
    report()
  }, [])

  useImperativeHandle(ref, () => ({
    open(agentId) {
      if (api.current && !api.current.getPanel(agentId)) addPanel(api.current, agentId)
      else api.current?.getPanel(agentId)?.api.setActive()
    },
    close(agentId) {
      api.current?.getPanel(agentId)?.api.close()
    },
    move(move) {
      if (api.current) movePanel(api.current, move)
    },
    toggleMaximized(agentId) {
      const panel = api.current?.getPanel(agentId)
      if (panel?.api.isMaximized()) panel.api.exitMaximized()
      else panel?.api.maximize()
    },
  }))

  return (
    <RenderPanel value={renderPanel}>
      <div className="min-h-0 flex-1 overflow-x-auto overflow-y-hidden">
        <div className="h-full" style={{ minWidth }}>
          <DockviewReact
            components={COMPONENTS}
            onReady={onReady}
            theme={THEME}
            disableDnd
            disableFloatingGroups
            hideBorders
            defaultRenderer="onlyWhenVisible"
          />
        </div>
      </div>
    </RenderPanel>
  )
}

const THEME = { name: 'troupe', className: 'troupe-docking', gap: 1 }
const COMPONENTS = { agent: DockedPanel }

function DockedPanel({ params }: IDockviewPanelProps<{ readonly agentId: string }>) {
  return useContext(RenderPanel)(params.agentId)
}

function restore(api: DockviewApi, props: FreeDockingProps): void {
  readSaved(api, props.saved)
  for (const panel of [...api.panels]) if (!props.knownAgents.has(panel.id)) panel.api.close()
  if (api.panels.length === 0) layOut(api, props.panels, props.columns)
  if (props.firstMove !== null) movePanel(api, props.firstMove)
}

/** Loads a saved layout. One that the library can't read leaves no panels. */
function readSaved(api: DockviewApi, saved: unknown): void {
  if (typeof saved !== 'object' || saved === null) return
  try {
    api.fromJSON(saved as SerializedDockview)
  } catch {
    api.clear()
  }
}

/** Matches the grid, so that no panel jumps when the user drags the first one. */
function layOut(api: DockviewApi, panels: readonly string[], columns: number): void {
  panels.forEach((agentId, index) => {
    const lone = index >= columns && index === panels.length - 1 && panels.length % columns === 1
    const above = panels[index - columns]
    const before = panels[index - 1]
    addPanel(
      api,
      agentId,
      index === 0
        ? undefined
        : lone
          ? { direction: 'below' as const }
          : index < columns
            ? { direction: 'right' as const, referencePanel: before ?? '' }
            : { direction: 'below' as const, referencePanel: above ?? '' },
    )
  })
}

type Position = { direction: 'right' | 'below'; referencePanel?: string }

function addPanel(api: DockviewApi, agentId: string, position?: Position): void {
  const target = position ?? (api.panels.length === 0 ? undefined : splitOfLargest(api))
  api.addPanel({
    id: agentId,
    component: 'agent',
    params: { agentId },
    minimumWidth: PANEL_MIN_WIDTH,
    minimumHeight: PANEL_MIN_HEIGHT,
    ...(target === undefined ? {} : { position: target as { direction: 'right'; referencePanel: string } }),
  })
}

/** A new panel takes half of the largest panel. */
function splitOfLargest(api: DockviewApi): Position {
  const area = (width: number, height: number) => width * height
  const largest = api.panels.reduce((most, panel) =>
    area(panel.api.width, panel.api.height) > area(most.api.width, most.api.height) ? panel : most,
  )
  const wide = largest.api.width >= 2 * PANEL_MIN_WIDTH && largest.api.width > largest.api.height
  return { direction: wide ? 'right' : 'below', referencePanel: largest.id }
}

const POSITIONS = { left: 'left', right: 'right', above: 'top', below: 'bottom' } as const

function movePanel(api: DockviewApi, { agentId, target, edge }: Move): void {
  const panel = api.getPanel(agentId)
  const beside = api.getPanel(target)
  if (panel && beside && panel !== beside)
    panel.api.moveTo({ group: beside.group, position: POSITIONS[edge] })
}
