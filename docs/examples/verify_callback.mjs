// Verify a callback in Express, with Node alone. The body must be the raw bytes:
//   app.post("/callbacks", express.raw({ type: "*/*" }), verified((event, response) => response.sendStatus(204)))
// Set SIGNING_SECRET, which starts with whsec_.
import { createHmac, timingSafeEqual } from "node:crypto"

const TOLERANCE_SECONDS = 300

/** Return the event of a callback, or null if its signature is not right. */
export function verify(headers, body, secret, now = Date.now() / 1000) {
    const [id, timestamp] = [headers["webhook-id"], headers["webhook-timestamp"]]
    if (!id || !/^\d{1,12}$/.test(timestamp ?? "") || Math.abs(now - timestamp) > TOLERANCE_SECONDS) return null
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest()
    const isRight = (headers["webhook-signature"] ?? "").split(" ").some((one) => {
        const [version, signature] = one.split(",")
        const given = Buffer.from(signature ?? "", "base64")
        return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected)
    })
    return isRight ? JSON.parse(body) : null
}

/** Return a handler that calls `handle(event, response)` for callbacks whose signature is right. */
export function verified(handle) {
    return (request, response) => {
        const event = verify(request.headers, request.body, process.env.SIGNING_SECRET)
        return event ? handle(event, response) : response.sendStatus(401)
    }
}
