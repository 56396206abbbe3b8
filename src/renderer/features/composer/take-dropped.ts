import { draftKeyNow, focusComposer } from '../../stores/draft-store.ts'
import { showNotice } from '../../stores/overlay-store.ts'
import { takeFiles } from './use-send.ts'

/** Takes files that were dropped outside the composer, then focuses it. */
export async function takeDropped(files: readonly File[]): Promise<void> {
  const problem = await takeFiles(draftKeyNow(), files)
  if (problem !== null) showNotice({ level: 'error', text: problem })
  focusComposer()
}
