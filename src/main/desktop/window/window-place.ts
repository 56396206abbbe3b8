/** Where the window was, and whether it can be seen there: screens come and go. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Bounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface WindowPlace {
  readonly bounds: Bounds
  readonly maximized: boolean
}

export const SMALLEST = { width: 900, height: 600 } as const
const USUAL = { width: 1440, height: 900 } as const
/** Pixels of the title bar that must be on a screen for the window to be moved. */
const GRIP = { width: 120, height: 40 } as const

/** The place for a new window: the remembered one if it can be seen, else the middle of the first screen. */
export function placeOn(
  screens: readonly Bounds[],
  remembered: WindowPlace | null,
): { readonly bounds: Bounds; readonly maximized: boolean } {
  if (remembered !== null && screens.some((screen) => isReachable(remembered.bounds, screen)))
    return remembered
  const screen = screens[0] ?? { x: 0, y: 0, width: USUAL.width, height: USUAL.height }
  const width = Math.max(SMALLEST.width, Math.min(USUAL.width, screen.width))
  const height = Math.max(SMALLEST.height, Math.min(USUAL.height, screen.height))
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

/** Null where nothing is remembered, or nothing that makes sense. Read at once: the window waits for it. */
export function readPlace(file: string): WindowPlace | null {
  try {
    const { bounds, maximized } = JSON.parse(readFileSync(file, 'utf8')) as WindowPlace
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

/** Remembers a place. Not to be able to is nothing that anybody must know. */
export function writePlace(file: string, place: WindowPlace): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.tmp`, JSON.stringify(place))
    renameSync(`${file}.tmp`, file)
  } catch {
    // The next window opens in the middle.
  }
}
