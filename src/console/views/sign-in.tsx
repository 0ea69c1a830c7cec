// The sign-in form.
import { Mark } from "./layout.tsx";
import { Notice } from "./parts.tsx";

/** @param next where a sign-in leads. @param message why there is no session; null at the first visit. */
export function SignIn({ next, message }: { next: string; message: string | null }) {
	return (
		<section class="sign-in">
			<Mark />
			<h1>Sign in to svc</h1>
			{message === null ? null : (
				<Notice kind="error" title="Not signed in">
					<p id="sign-in-error">{message}</p>
				</Notice>
			)}
			<form method="post" action="/console/sign-in">
				<input type="hidden" name="next" value={next} />
				<div class="field">
					<label for="key">API key</label>
					<input
						id="key"
						name="key"
						type="password"
						autocomplete="current-password"
						required
						spellcheck={false}
						aria-describedby={message === null ? "key-hint" : "key-hint sign-in-error"}
						aria-invalid={message === null ? undefined : "true"}
					/>
					<p class="hint" id="key-hint">
						It begins with <code>svc_sk_</code>. The console sees and changes what this key may, and its calls count
						towards the key's limits. The browser keeps it in a sealed cookie for 12 hours.
					</p>
				</div>
				<button type="submit">Sign in</button>
			</form>
		</section>
	);
}
