import { retryLog, useLogTrouble } from '../../stores/log-trouble-store.ts'
import { Button } from '../../ui/button.tsx'

/** Tries again to save what the agents of a conversation did. */
export function RetryButton({ conversationId }: { readonly conversationId: string }) {
  const trying = useLogTrouble((state) => state.trying.has(conversationId))
  return (
    <Button disabled={trying} focusableWhenDisabled onClick={() => void retryLog(conversationId)}>
      {trying ? 'Trying …' : 'Try again'}
    </Button>
  )
}
