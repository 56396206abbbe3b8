/**
 * Saves and restores the bounds of windows, for each folder. Screens come and go, so the bounds are checked for
 * visibility.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export interface WindowRectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export type WindowSize = Pick<WindowRectangle, 'width' | 'height'>

interface WindowBounds {
  readonly bounds: WindowRectangle
  readonly maximized: boolean
}

export const SMALLEST = { width: 900, height: 600 } as const
const DEFAULT_SIZE = { width: 1440, height: 900 } as const
/** Pixels of the title bar that must be on a screen, so that the user can move the window. */
const GRIP = { width: 120, height: 40 } as const

/** Pixels between a new window and the window that it would cover. */
const STEP = 32

/**
 * The bounds for a new window: the saved ones if visible, otherwise the middle of the first screen. A place that another
 * window occupies is left free.
 */
export function fitBounds(
  screens: readonly WindowRectangle[],
  remembered: WindowBounds | null,
  occupied: readonly WindowRectangle[] = [],
  initial: WindowSize = DEFAULT_SIZE,
): WindowBounds {
  const fitted = visibleBounds(screens, remembered, initial)
  let { bounds } = fitted
  while (occupied.some(({ x, y }) => x === bounds.x && y === bounds.y))
    bounds = { ...bounds, x: bounds.x + STEP, y: bounds.y + STEP }
  const isFree = screens.some((screen) => isReachable(bounds, screen))
  return isFree ? { bounds, maximized: fitted.maximized } : fitted
}

function visibleBounds(
  screens: readonly WindowRectangle[],
  remembered: WindowBounds | null,
  initial: WindowSize,
): WindowBounds {
  if (remembered !== null && screens.some((screen) => isReachable(remembered.bounds, screen)))
    return remembered
  const screen = screens[0] ?? { x: 0, y: 0, ...initial }
  const width = Math.max(Math.min(SMALLEST.width, initial.width), Math.min(initial.width, screen.width))
  const height = Math.max(Math.min(SMALLEST.height, initial.height), Math.min(initial.height, screen.height))
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
function isReachable(window: WindowRectangle, screen: WindowRectangle): boolean {
  const across = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x)
  const down = Math.min(window.y + GRIP.height, screen.y + screen.height) - Math.max(window.y, screen.y)
  return across >= GRIP.width && down >= GRIP.height
}

/** The folders whose bounds are kept. */
const FOLDERS = 30

/**
 * The saved bounds of a folder's window, or those that any window had last. Null without valid saved bounds.
 * Synchronous, because the window waits for it.
 */
export function readBounds(
  file: string,
  folder: string | null = null,
  smallest: WindowSize = SMALLEST,
): WindowBounds | null {
  const saved = read(file)
  const own = folder === null ? null : validBounds(foldersOf(saved).get(folder), smallest)
  return own ?? validBounds(saved, smallest)
}

/** Saves the bounds of a folder's window. A failure is ignored: the next window opens in the middle. */
export function writeBounds(file: string, location: WindowBounds, folder: string | null = null): void {
  const folders = foldersOf(read(file))
  if (folder !== null) {
    folders.delete(folder)
    folders.set(folder, location)
  }
  const kept = Object.fromEntries([...folders].slice(-FOLDERS))
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.tmp`, JSON.stringify({ ...location, folders: kept }))
    renameSync(`${file}.tmp`, file)
  } catch {}
}

/** Without a schema library, whose loading would delay the first window. */
function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** In the order of the last use. */
function foldersOf(saved: unknown): Map<string, unknown> {
  const folders = fieldOf(saved, 'folders')
  return new Map(typeof folders === 'object' && folders !== null ? Object.entries(folders) : [])
}

function validBounds(saved: unknown, smallest: WindowSize): WindowBounds | null {
  const bounds = fieldOf(saved, 'bounds')
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((side) => fieldOf(bounds, side))
  if (!isWhole(x) || !isWhole(y) || !isWhole(width) || !isWhole(height)) return null
  return {
    bounds: { x, y, width: Math.max(smallest.width, width), height: Math.max(smallest.height, height) },
    maximized: fieldOf(saved, 'maximized') === true,
  }
}

const isWhole = (value: unknown): value is number => Number.isInteger(value)

function fieldOf(from: unknown, key: string): unknown {
  return typeof from === 'object' && from !== null ? Reflect.get(from, key) : undefined
}
