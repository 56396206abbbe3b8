/** The tray's menu while the window is hidden, as data. */
import type { MenuItemConstructorOptions } from 'electron'

export interface TrayMenuOptions {
  readonly agents: number
  readonly open: () => void
  /** Asks first if agents are running. */
  readonly quit: () => void
}

export function trayMenu({ agents, open, quit }: TrayMenuOptions): {
  readonly tip: string
  readonly items: MenuItemConstructorOptions[]
} {
  const work =
    agents === 0 ? 'No agents running' : agents === 1 ? '1 agent running' : `${agents} agents running`
  return {
    tip: `Troupe: ${work.charAt(0).toLowerCase()}${work.slice(1)}`,
    items: [
      { label: work, enabled: false },
      { type: 'separator' },
      { label: 'Open window', click: open },
      { label: 'Quit', click: quit },
    ],
  }
}
