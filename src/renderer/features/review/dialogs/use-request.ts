/** What a dialog asks for: whether it is under way, and why it was refused. */
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../../../../shared/ipc-contract.ts'
import { showFailure } from '../../../stores/notice-store.ts'

interface Refusal {
  readonly type: string
  readonly message: string
}

interface DialogRequest {
  readonly busy: boolean
  readonly refusal: Refusal | null
  readonly forgetRefusal: () => void
  /** The answer; null where the dialog was closed meanwhile: then a notice says what was refused. */
  readonly ask: <T>(work: () => Promise<Answer<T>>) => Promise<Answer<T> | null>
}

export function useRequest(): DialogRequest {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const open = useRef(false)
  useEffect(() => {
    open.current = true
    return () => {
      open.current = false
    }
  }, [])
  return {
    busy,
    refusal,
    forgetRefusal: () => setRefusal(null),
    ask: async (work) => {
      setBusy(true)
      setRefusal(null)
      const answer = await work()
      if (!open.current) {
        if (!answer.ok) showFailure(answer.failure)
        return null
      }
      setBusy(false)
      if (!answer.ok) setRefusal(answer.failure)
      return answer
    },
  }
}
