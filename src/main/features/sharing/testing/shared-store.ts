/** The sharing of the sample conversation, on its own disk. */
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createIds } from '../../../platform/system/random-names.ts'
import { openStore } from '../../../platform/transcripts/testing/open-store.ts'
import type { Share, SharingDeps } from '../share-conversation.ts'
import { CONVERSATION, HOME, KEY, writeSample } from './sample-conversation.ts'

/** @param pageFile the built page */
export async function sharedStore({ pageFile = '/none' } = {}) {
  const opened = await openStore()
  await writeSample(opened.store)
  const clock = createSystemClock()
  const deps: SharingDeps = {
    ...{ store: opened.store, home: HOME, version: '1.2.3', pageFile },
    secrets: () => [KEY],
  }
  const share: Share = { conversationId: CONVERSATION, format: 'jsonl', without: [], keepPaths: false }
  const ids = createIds({ clock, random: () => 0.5 })
  return { ...opened, deps, share, ids }
}
