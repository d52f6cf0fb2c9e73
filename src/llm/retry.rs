//! When a request is sent again: back-off that doubles, with jitter, and what `Retry-After` says.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};

use super::failure::Failure;

/// No wait is longer than this. An endpoint that wants more is not waited for.
const LONGEST: Duration = Duration::from_secs(60);

/// How long to wait before the request is sent again that has failed `failed` times (from 1); `None` where that is of no
/// use. `jitter`, from 0 to 1, keeps requests that failed together from coming again together.
pub(super) fn wait(failure: &Failure, failed: u32, retries: u32, back_off: Duration, jitter: f64) -> Option<Duration> {
    if failed > retries || !failure.reason.passes() {
        return None;
    }
    let doubled = back_off.saturating_mul(2_u32.saturating_pow(failed - 1)).min(LONGEST);
    let own = doubled.mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
    match failure.wait {
        Some(asked) if asked > LONGEST => None,
        // All are asked to wait equally long; what comes on top spreads them.
        Some(asked) => Some(asked + own / 2),
        None => Some(own),
    }
}

/// What a `Retry-After` header says: seconds, or a moment.
pub(super) fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(moment.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::super::failure::Reason;
    use super::*;

    const STEP: Duration = Duration::from_millis(100);

    fn failure(reason: Reason, wait: Option<u64>) -> Failure {
        Failure { wait: wait.map(Duration::from_secs), ..Failure::new(reason, "") }
    }

    #[test]
    fn waits_double_and_jitter_halves_them_at_most() {
        let after = |failed, jitter| wait(&failure(Reason::ServerError, None), failed, 4, STEP, jitter);
        let full: Vec<_> = (1..=5).map(|failed| after(failed, 1.0).map(|wait| wait.as_millis())).collect();
        assert_eq!(full, [Some(100), Some(200), Some(400), Some(800), None]);
        assert_eq!(after(2, 0.0), Some(STEP));
        let long = wait(&failure(Reason::Timeout, None), 9, 10, Duration::from_secs(5), 1.0);
        assert_eq!(long, Some(LONGEST));
    }

    #[test]
    fn what_does_not_pass_is_not_tried_again() {
        for reason in [Reason::Unauthorised, Reason::NotFound, Reason::Refused, Reason::Malformed, Reason::NoCredit] {
            assert_eq!(wait(&failure(reason, None), 1, 4, STEP, 0.5), None, "{reason:?}");
        }
    }

    #[test]
    fn retry_after_is_kept_to_and_too_long_a_wait_is_none() {
        let limited = |seconds| wait(&failure(Reason::RateLimited, Some(seconds)), 1, 4, STEP, 1.0);
        assert!(limited(2).is_some_and(|wait| wait >= Duration::from_secs(2) && wait < Duration::from_secs(3)));
        assert_eq!(limited(3600), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_moment() {
        let now: Timestamp = "2026-11-21T07:28:00Z".parse().unwrap();
        assert_eq!(retry_after(" 7 ", now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("0.5", now), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Sat, 21 Nov 2026 07:28:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(retry_after("Sat, 21 Nov 2026 07:00:00 GMT", now), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-1", "inf", "1e99"] {
            assert_eq!(retry_after(nonsense, now), None, "{nonsense:?}");
        }
    }
}
