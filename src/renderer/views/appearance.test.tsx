import { afterEach, expect, test } from 'vitest'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { useSession } from '../stores/session-store.ts'
import { installFakeBridge } from '../testing/fake-bridge.ts'
import { resetText, resizeText } from './command-actions.ts'

afterEach(() => useSession.setState({ settings: defaultSettings }))

test('quick presses add up before the first answer, and a refused size does not stay', async () => {
  useSession.setState({ settings: { ...defaultSettings, textSize: 100 } })
  let refuse = false
  const bridge = installFakeBridge({
    'settings.change': ({ patch }) => {
      if (refuse) throw new Error('The disk is full.')
      const { settings } = useSession.getState()
      return { ...settings, textSize: patch.textSize ?? settings.textSize }
    },
  })
  const sizes = () => bridge.inputsOf('settings.change').map(({ patch }) => patch.textSize)
  const answered = () => new Promise<void>((resolve) => setTimeout(resolve))

  resizeText(10)
  resizeText(10)
  resizeText(10)
  expect(sizes()).toEqual([110, 120, 130])
  await answered()
  expect(useSession.getState().settings.textSize).toBe(130)

  refuse = true
  resizeText(10)
  await answered()
  refuse = false
  resizeText(-10)
  resetText()
  expect(sizes().slice(3)).toEqual([140, 120, 100])
})
