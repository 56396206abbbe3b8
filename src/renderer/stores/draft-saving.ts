/** Stores the drafts in the main process, and loads them after a start. */
import type { DraftAttachment, StoredDraft } from '../../shared/messages/draft.ts'
import { command } from '../bridge.ts'
import { type Draft, draftOf, restoreDraft, useDrafts } from './draft-store.ts'
import { showFailure } from './notice-store.ts'

/** The longest time that a change is not stored. In ms. */
const SAVE_DELAY = 400

const unsaved = new Set<string>()
/** The attachments that the main process has, for each draft. */
const sent = new Map<string, ReadonlySet<string>>()
let timer: ReturnType<typeof setTimeout> | undefined
let failed = false

/** Loads the stored drafts, and stores each change from then on. Returns a function that ends this. */
export function startDraftSaving(): () => void {
  sent.clear()
  const stop = useDrafts.subscribe((now, before) => {
    if (now.drafts === before.drafts) return
    for (const [key, draft] of Object.entries(now.drafts)) if (before.drafts[key] !== draft) changed(key)
  })
  const onPageHide = () => void saveNow()
  window.addEventListener('pagehide', onPageHide)
  void loadDrafts()
  return () => {
    stop()
    window.removeEventListener('pagehide', onPageHide)
    clearTimeout(timer)
    timer = undefined
    unsaved.clear()
  }
}

async function loadDrafts(): Promise<void> {
  const answer = await command('draft.list', {})
  if (!answer.ok) return showFailure(answer.failure)
  for (const stored of answer.value) {
    sent.set(stored.place, new Set(stored.attachments.map(({ key }) => key)))
    const isUntouched = useDrafts.getState().drafts[stored.place] === undefined
    restoreDraft(stored.place, fromStored(stored))
    if (isUntouched) unsaved.delete(stored.place)
  }
}

/** The timer is not restarted: text that is typed without a pause is stored too. */
function changed(key: string): void {
  unsaved.add(key)
  timer ??= setTimeout(() => void saveNow(), SAVE_DELAY)
}

/** Stores all changes now. */
export async function saveNow(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const keys = [...unsaved]
  unsaved.clear()
  await Promise.all(keys.map(save))
}

async function save(key: string): Promise<void> {
  const draft = draftOf(key)
  const attachments = attachmentsOf(draft)
  const keys = attachments.map((attachment) => attachment.key)
  const known = sent.get(key)
  sent.set(key, new Set(keys))
  const answer = await command('draft.save', {
    place: key,
    text: draft.text,
    recipientId: draft.recipientId,
    attachments: keys,
    added: attachments.filter((attachment) => known?.has(attachment.key) !== true),
  })
  if (answer.ok) {
    failed = false
    return
  }
  // Its next change stores the whole draft again.
  sent.delete(key)
  if (!failed) showFailure(answer.failure)
  failed = true
}

function attachmentsOf({ images, pasted }: Draft): readonly DraftAttachment[] {
  return [
    ...images.map((image) => ({ kind: 'image' as const, ...image })),
    ...pasted.map((text) => ({ kind: 'pasted' as const, ...text })),
  ]
}

function fromStored({ text, recipientId, attachments }: StoredDraft): Draft {
  return {
    text,
    recipientId,
    images: attachments.flatMap((one) =>
      one.kind === 'image' ? [{ key: one.key, name: one.name, block: one.block }] : [],
    ),
    pasted: attachments.flatMap((one) => (one.kind === 'pasted' ? [{ key: one.key, text: one.text }] : [])),
  }
}
