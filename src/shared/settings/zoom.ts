/** The zoom of the windows: the size of everything in them, in percent. */

export const SMALLEST_ZOOM = 80
export const LARGEST_ZOOM = 200

/** The sizes that the keys and buttons go through; the file may have any whole number between the first and the last. */
const STEPS = [SMALLEST_ZOOM, 90, 100, 110, 125, 150, 175, LARGEST_ZOOM] as const

/** The next step from a zoom, larger or smaller; at the end the zoom itself. */
export function nextZoom(zoom: number, direction: 'in' | 'out'): number {
  const next = direction === 'in' ? STEPS.find((step) => step > zoom) : STEPS.findLast((step) => step < zoom)
  return next ?? zoom
}

/** The zoom that a value of a file means, which was not validated yet. */
export function zoomOf(value: unknown): number {
  const isValid = Number.isInteger(value) && Number(value) >= SMALLEST_ZOOM && Number(value) <= LARGEST_ZOOM
  return isValid ? Number(value) : 100
}
