/** The rule that an answer saved: it can be removed again, while it holds. */
import { useEffect, useState } from 'react'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { editRule } from '../../stores/settings-store.ts'
import { CommandText } from '../../ui/text/visible-text.tsx'

export function SavedRule({ rule }: { readonly rule: string }) {
  const folder = useConversation((state) => state.record?.folder ?? null)
  const { isSaved, failure, remove } = useSavedRule(folder, rule)
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 pl-5 text-fg-2">
      <code className="min-w-0 font-mono wrap-anywhere">
        <CommandText>{rule}</CommandText>
      </code>
      {isSaved === true && (
        <button
          type="button"
          className="rounded-xs text-fg-1 underline decoration-line-strong underline-offset-2 hover:text-fg-0"
          onClick={remove}
        >
          Remove rule
        </button>
      )}
      {isSaved === false && <span role="status">This rule no longer holds: Troupe asks again.</span>}
      {failure !== null && (
        <span role="alert" className="text-bad">
          {failure}
        </span>
      )}
    </div>
  )
}

/** Whether "Always allow" saved the rule and it still holds; null: not known yet. */
function useSavedRule(folder: string | null, rule: string | null) {
  const [isSaved, setSaved] = useState<boolean | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    if (folder !== null && rule !== null)
      void command('rules.list', { folder }).then((listed) => {
        if (!isCurrent) return
        if (!listed.ok) setFailure(listed.failure.message)
        else setSaved(listed.value.entries.some(({ source, text }) => source === 'saved' && text === rule))
      })
    return () => {
      isCurrent = false
    }
  }, [folder, rule])
  const remove = () => {
    if (folder === null || rule === null) return
    void editRule(folder, { from: { source: 'saved', list: 'allow', text: rule }, to: null }).then(
      (problem) => {
        setFailure(problem)
        if (problem === null) setSaved(false)
      },
    )
  }
  return { isSaved, failure, remove }
}
