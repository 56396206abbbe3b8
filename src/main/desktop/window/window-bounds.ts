/** Saves and restores the window's bounds. Screens come and go, so the bounds are checked for visibility. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Bounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface WindowBounds {
  readonly bounds: Bounds
  readonly maximized: boolean
}

export const SMALLEST = { width: 900, height: 600 } as const
const DEFAULT_SIZE = { width: 1440, height: 900 } as const
/** Pixels of the title bar that must be on a screen, so that the user can move the window. */
const GRIP = { width: 120, height: 40 } as const

/** The bounds for a new window: the saved ones if visible, otherwise the middle of the first screen. */
export function fitBounds(
  screens: readonly Bounds[],
  remembered: WindowBounds | null,
): { readonly bounds: Bounds; readonly maximized: boolean } {
  if (remembered !== null && screens.some((screen) => isReachable(remembered.bounds, screen)))
    return remembered
  const screen = screens[0] ?? { x: 0, y: 0, width: DEFAULT_SIZE.width, height: DEFAULT_SIZE.height }
  const width = Math.max(SMALLEST.width, Math.min(DEFAULT_SIZE.width, screen.width))
  const height = Math.max(SMALLEST.height, Math.min(DEFAULT_SIZE.height, screen.height))
  const middle = (from: number, room: number, size: number) =>
    from + Math.max(0, Math.round((room - size) / 2))
  return {
    bounds: {
      x: middle(screen.x, screen.width, width),
      y: middle(screen.y, screen.height, height),
      width,
      height,
    },
    maximized: remembered?.maximized ?? false,
  }
}

/** Whether enough of the upper edge is on this screen. */
function isReachable(window: Bounds, screen: Bounds): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
  const down = Math.min(window.y + GRIP.height, screen.y + screen.height) - Math.max(window.y, screen.y)
  return across >= GRIP.width && down >= GRIP.height
}

/** Null without valid saved bounds. Synchronous, because the window waits for it. */
export function readBounds(file: string): WindowBounds | null {
  try {
    const { bounds, maximized } = JSON.parse(readFileSync(file, 'utf8')) as WindowBounds
    const { x, y, width, height } = bounds
    if (![x, y, width, height].every((value) => Number.isInteger(value))) return null
    return {
      bounds: { x, y, width: Math.max(SMALLEST.width, width), height: Math.max(SMALLEST.height, height) },
      maximized: maximized === true,
    }
  } catch {
    return null
  }
}

/** Saves the bounds. A failure is ignored: the next window opens in the middle. */
export function writeBounds(file: string, location: WindowBounds): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.tmp`, JSON.stringify(location))
    renameSync(`${file}.tmp`, file)
  } catch {}
}
