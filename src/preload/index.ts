import { contextBridge } from 'electron'

contextBridge.exposeInMainWorld('troupe', {})
