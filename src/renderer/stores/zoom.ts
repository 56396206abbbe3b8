/** The zoom of the windows, as keys, menus and buttons change it. The program applies the setting to every window. */
import { LARGEST_ZOOM, nextZoom, SMALLEST_ZOOM } from '../../shared/settings/zoom.ts'
import { endNotices, showFailure, showNotice } from './overlay-store.ts'
import { useSession } from './session-store.ts'
import { changeSettings } from './settings-store.ts'

/** The sizes that were sent and not confirmed yet, oldest first: quick presses of the key build on the last. */
const sent: number[] = []

/** Goes one step larger or smaller, and says the size for a moment. */
export function zoomStep(direction: 'in' | 'out'): Promise<void> {
  const zoom = sent.at(-1) ?? useSession.getState().settings.zoom
  return setZoom(nextZoom(zoom, direction))
}

/** Sets the zoom, in percent, and says it for a moment in the status bar. */
export async function setZoom(zoom: number): Promise<void> {
  const isSame = zoom === (sent.at(-1) ?? useSession.getState().settings.zoom)
  say(zoom)
  if (isSame) return
  sent.push(zoom)
  const answer = await changeSettings({ zoom })
  sent.shift()
  if (answer.ok) return
  endNotices('zoom')
  showFailure(answer.failure)
}

function say(zoom: number): void {
  const end = zoom === LARGEST_ZOOM ? ', the largest' : zoom === SMALLEST_ZOOM ? ', the smallest' : ''
  endNotices('zoom')
  showNotice({ level: 'info', about: 'zoom', text: `Zoom ${zoom}%${end}` })
}
