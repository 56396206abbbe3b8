/** The tray's menu while every window is hidden, as data. */
import type { MenuItemConstructorOptions } from 'electron'

interface TrayMenuOptions {
  readonly agents: number
  /** The number of pending permission requests. */
  readonly requests: number
  readonly open: () => void
  /** Asks first if agents are running. */
  readonly quit: () => void
}

export function trayMenu({ agents, requests, open, quit }: TrayMenuOptions): {
  readonly tip: string
  readonly items: MenuItemConstructorOptions[]
} {
  const running =
    agents === 0 ? 'No agents running' : agents === 1 ? '1 agent running' : `${agents} agents running`
  const asking =
    requests === 0 ? '' : requests === 1 ? ' · 1 pending question' : ` · ${requests} pending questions`
  const work = `${running}${asking}`
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
