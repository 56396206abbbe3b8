/** Texts that agents are told, and that changed since the user last saw them: each difference, with its approval. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { useEffect, useRef, useState } from 'react'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { loadDefinitions } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'

export function WaitingTexts({ folder }: { readonly folder: string }) {
  const [texts, setTexts] = useState<readonly WaitingText[]>([])
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    let isOver = false
    const load = () =>
      void command('texts.waiting', { folder }).then((answer) => {
        if (!isOver && answer.ok) setTexts(answer.value)
      })
    load()
    // Another program may have changed the files.
    window.addEventListener('focus', load)
    return () => {
      isOver = true
      window.removeEventListener('focus', load)
    }
  }, [folder])
  if (texts.length === 0) return null
  const approve = async ({ name, path, digest }: WaitingText) => {
    const answer = await command('texts.approve', { folder, path, digest })
    const now = answer.ok ? answer : await command('texts.waiting', { folder })
    // The pressed button is gone.
    section.current?.closest<HTMLElement>('main')?.focus()
    if (now.ok) setTexts(now.value)
    if (answer.ok) showNotice({ level: 'info', text: `Agents are told ${name} as it is from now on.` })
    else showFailure(answer.failure)
    await loadDefinitions(folder)
  }
  return (
    <section ref={section} aria-label="Changed instructions" className="grid gap-3">
      <header className="grid gap-1">
        <h3 className="font-medium text-fg-0 text-sm">Changed instructions</h3>
        <p className="text-fg-1 text-sm">
          These files changed since you last saw them, or are new. Agents are told the former text until you
          approve the change.
        </p>
      </header>
      {texts.map((text) => (
        <article
          key={text.path}
          aria-label={text.name}
          className="grid gap-2.5 rounded-[6px] border border-line bg-needs-you/6 p-3 text-sm"
        >
          <h4 className="font-mono text-fg-0 text-xs wrap-anywhere">
            <VisibleText>{text.name}</VisibleText>
            {text.former === null && <span className="text-fg-2"> new</span>}
          </h4>
          <DiffView patch={patchOf(text)} label={`Changes of ${text.name}`} shownLines={60} />
          <Button className="justify-self-start" onClick={() => void approve(text)}>
            Approve {text.name}
          </Button>
        </article>
      ))}
    </section>
  )
}

/** A new text is shown as if all its lines were added. */
function patchOf({ former, text }: WaitingText): string {
  return formatPatch(structuredPatch('', '', former ?? '', text, '', '', { context: 4 }), OMIT_HEADERS)
}
