/** What went wrong in the page of the preview, by kind and count, for the user to choose from and send to the agent. */
import { ChevronDown, ChevronRight, Send } from 'lucide-react'
import { useState } from 'react'
import type { WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import type { PageProblem, PageProblems } from '../../../shared/preview/preview.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { actOnPreview, chooseProblem, sendProblems, usePreview } from './preview-store.ts'

interface PreviewProblemsProps {
  readonly worktree: WorktreeEnvironment
  readonly problems: PageProblems
}

export function PreviewProblems({ worktree, problems: { list, leftOut } }: PreviewProblemsProps) {
  const [isOpen, setOpen] = useState(true)
  const [isSending, setSending] = useState(false)
  const unchosen = usePreview((state) => state.unchosen)
  const chosen = list.filter(({ key }) => !unchosen.has(key))
  const Mark = isOpen ? ChevronDown : ChevronRight
  const send = async () => {
    setSending(true)
    await sendProblems(worktree, chosen)
    setSending(false)
  }
  return (
    <section aria-label="Problems of the page" className="shrink-0 border-line border-t bg-bg-1 text-sm">
      <div className="flex h-8 items-center gap-2 px-2">
        <Button
          variant="quiet"
          className="px-1.5"
          aria-expanded={isOpen}
          disabled={list.length === 0}
          focusableWhenDisabled
          onClick={() => setOpen(!isOpen)}
        >
          <Mark size={12} strokeWidth={1.75} aria-hidden="true" />
          {list.length === 0 ? 'No problems in the page' : `${count(list.length, 'problem')} in the page`}
        </Button>
        {leftOut > 0 && <span className="text-fg-2 text-xs">{leftOut} more were left out</span>}
        <span className="flex-1" />
        {list.length > 0 && (
          <>
            <Button variant="quiet" onClick={() => void actOnPreview('forget')}>
              Clear
            </Button>
            <Button
              disabled={chosen.length === 0 || isSending}
              focusableWhenDisabled
              onClick={() => void send()}
            >
              <Send size={12} strokeWidth={1.75} aria-hidden="true" />
              Send {chosen.length === list.length ? '' : `${chosen.length} `}to agent
            </Button>
          </>
        )}
      </div>
      {isOpen && list.length > 0 && (
        <ul aria-label="Problems" className="max-h-28 overflow-y-auto border-line border-t px-3 py-1">
          {list.map((problem) => (
            <Problem key={problem.key} problem={problem} isChosen={!unchosen.has(problem.key)} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Problem({ problem, isChosen }: { readonly problem: PageProblem; readonly isChosen: boolean }) {
  const { key, kind, text, where } = problem
  return (
    <li>
      <label className="flex items-start gap-2 py-0.5 font-mono text-xs leading-[18px]">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={({ target }) => chooseProblem(key, target.checked)}
          className="mt-[3px] shrink-0 accent-accent"
        />
        <span
          data-selectable=""
          className={classNames(
            'line-clamp-2 min-w-0 flex-1 whitespace-pre-wrap break-all',
            kind === 'refused' ? 'text-fg-1' : 'text-bad',
          )}
          title={text}
        >
          {text}
          {where !== null && <span className="text-fg-2"> {where}</span>}
        </span>
        {problem.count > 1 && <span className="shrink-0 text-fg-2">{problem.count} times</span>}
      </label>
    </li>
  )
}
